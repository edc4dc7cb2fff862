-- The charged attempts of job $1 with their errors.
SELECT coalesce(jsonb_agg(jsonb_build_object('attempt', attempt, 'worker', worker,
                                             'started_at', started_at, 'ended_at', ended_at,
                                             'error', error) ORDER BY id), '[]')
FROM rowrunner.attempts WHERE job_id = $1::uuid
