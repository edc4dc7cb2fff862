-- Operation $1 starts from the oldest failure again, for those that were committed late. What it passed over is tried
-- once more.
UPDATE rowrunner.operations
SET second_pass = true, after_failed_at = DEFAULT, after_job_id = DEFAULT, skipped = 0
WHERE id = $1::bigint
