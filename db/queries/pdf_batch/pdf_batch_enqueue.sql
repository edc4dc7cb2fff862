-- One job for a message: $1 job_id, $2 pdf_path, $3 bucket_name, $4 its timestamp, $5 the user. Answers nothing if
-- there is one with this job_id.
INSERT INTO public.pdf_batch_jobs (job_id, pdf_path, bucket_name, sent_at, user_id)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (job_id) DO NOTHING
RETURNING id
