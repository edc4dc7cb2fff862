-- Job $1 as clients know it, whose it is, and whose document it reads if somebody else may have asked for it.
SELECT j.id::text, j.user_id, j.status, j.document_owner FROM public.document_jobs j WHERE j.job_id = $1
