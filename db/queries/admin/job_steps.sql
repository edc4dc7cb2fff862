-- The steps of job $2 of kind $1 that are done, in the order in which they were.
SELECT coalesce(jsonb_agg(jsonb_build_object('step', step, 'result', result, 'created_at', created_at)
                          ORDER BY created_at, step), '[]')
FROM rowrunner.steps WHERE kind = $1::smallint AND job_id = $2::uuid
