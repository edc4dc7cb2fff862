-- Job $1 as clients know it, and whose it is.
SELECT j.id::text, j.user_id, j.status FROM public.document_jobs j WHERE j.job_id = $1
