-- Whether the upload with the number $2 is still the one that counts for the job_id $1, before its last bytes are stored.
SELECT EXISTS (SELECT FROM public.pdf_batch_uploads u WHERE u.job_id = $1 AND u.upload = $2::uuid)
       AND NOT EXISTS (SELECT FROM public.pdf_batch_jobs j WHERE j.job_id = $1)
