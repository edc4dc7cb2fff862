-- The charged attempts of job $2 of kind $1 with their errors.
SELECT coalesce(jsonb_agg(jsonb_build_object('attempt', attempt, 'worker', worker,
                                             'started_at', started_at, 'ended_at', ended_at,
                                             'error', error) ORDER BY id), '[]')
FROM rowrunner.attempts WHERE kind = $1::smallint AND job_id = $2::uuid
