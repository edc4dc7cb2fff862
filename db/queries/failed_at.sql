-- When job $1 failed for good.
SELECT failed_at FROM rowrunner.failures WHERE job_id = $1::uuid
