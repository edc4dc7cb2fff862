-- Before the first byte of a file for the job_id $1 of the user $2. Answers whether it is theirs to send, whether its job
-- exists, after which the file stays as it is, and the number of this upload: one that began earlier counts no more.
-- Removes some records of uploads from more than 30 days ago.
WITH gone AS (
  DELETE FROM public.pdf_batch_uploads o WHERE o.job_id IN (
    SELECT u.job_id FROM public.pdf_batch_uploads u
    WHERE u.created_at < now() - interval '30 days' AND u.job_id <> $1::text
    ORDER BY u.created_at LIMIT 100
    FOR UPDATE SKIP LOCKED)
), mine AS (
  INSERT INTO public.pdf_batch_uploads AS u (job_id, user_id, upload)
  SELECT $1::text, $2::text, gen_random_uuid()
  WHERE NOT EXISTS (SELECT FROM public.pdf_batch_jobs j WHERE j.job_id = $1::text)
  ON CONFLICT (job_id) DO UPDATE SET created_at = now(), stored_at = NULL, bytes = NULL, upload = excluded.upload
    WHERE u.user_id = excluded.user_id
  RETURNING u.upload
)
SELECT EXISTS (SELECT FROM mine) AS is_mine,
       EXISTS (SELECT FROM public.pdf_batch_jobs j WHERE j.job_id = $1::text) AS has_job,
       (SELECT m.upload FROM mine m) AS upload
