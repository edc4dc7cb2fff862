-- Job $1 as clients know it, its user, and the owner of its document if another user may have asked for the job.
SELECT j.id::text, j.user_id, j.status, j.document_owner FROM public.document_jobs j WHERE j.job_id = $1
