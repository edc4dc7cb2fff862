-- The file for the job_id $1 is stored by the upload with the number $2, with $3 bytes. Answers nothing if that upload
-- counts no more.
UPDATE public.pdf_batch_uploads u SET bytes = $3::bigint, stored_at = now()
WHERE u.job_id = $1 AND u.upload = $2::uuid
RETURNING u.job_id
