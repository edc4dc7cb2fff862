-- When job $1 failed for good, of kind $2 or (NULL) of any: then the older one, where two kinds have a job
-- of that id.
SELECT f.failed_at FROM rowrunner.failures f JOIN rowrunner.kinds k ON k.id = f.kind
WHERE f.job_id = $1::uuid AND ($2::text IS NULL OR k.kind = $2)
ORDER BY f.failed_at LIMIT 1
