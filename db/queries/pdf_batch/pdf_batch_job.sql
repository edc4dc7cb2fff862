-- The job that has the job_id $1: what it was made of.
SELECT j.id, j.pdf_path, j.user_id FROM public.pdf_batch_jobs j WHERE j.job_id = $1
