-- The steps of job $1 that are done, in the order in which they were.
SELECT coalesce(jsonb_agg(jsonb_build_object('step', step, 'result', result, 'created_at', created_at)
                          ORDER BY created_at, step), '[]')
FROM rowrunner.steps WHERE job_id = $1::uuid
