-- How far the job with the job_id $1 is. The last column says that nothing has happened for as long as the document
-- keeps a status.
SELECT j.status, p.done, p.total, p.message, left(j.last_error, 20000), j.user_id,
       to_char(greatest(j.updated_at, p.updated_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       greatest(j.updated_at, p.updated_at) < now() - interval '24 hours'
FROM public.pdf_batch_jobs j
JOIN rowrunner.kinds k ON k.kind = 'pdf_batch'
LEFT JOIN rowrunner.progress p ON p.kind = k.id AND p.job_id = j.id
WHERE j.job_id = $1
