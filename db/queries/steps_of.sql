-- The steps of job $1 that are done.
SELECT step, result FROM rowrunner.steps WHERE job_id = $1::uuid
