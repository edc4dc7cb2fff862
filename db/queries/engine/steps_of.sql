-- The steps of job $2 of kind $1 that are done.
SELECT step, result FROM rowrunner.steps WHERE kind = $1::smallint AND job_id = $2::uuid
