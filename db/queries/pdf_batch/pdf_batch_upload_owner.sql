-- Whether the file of the job_id $1 is the user's $2: stored by them, or that of a job of theirs.
SELECT EXISTS (SELECT FROM public.pdf_batch_uploads u
               WHERE u.job_id = $1 AND u.user_id = $2 AND u.stored_at IS NOT NULL)
       OR EXISTS (SELECT FROM public.pdf_batch_jobs j WHERE j.job_id = $1 AND j.user_id = $2)
