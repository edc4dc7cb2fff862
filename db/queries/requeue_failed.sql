-- Puts up to $2 failed jobs of kind $1 back in line, the oldest failure first. Where a cancelled job
-- is called failed, its error tells; nobody wants it to run again.
WITH oldest AS MATERIALIZED (
  SELECT f.job_id
  FROM rowrunner.kinds k JOIN rowrunner.failures f ON f.kind = k.id
  WHERE k.kind = $1
    AND NOT (k.cancelled_status = 'failed'
             AND coalesce(f.error = 'cancelled' OR f.error LIKE 'cancelled: %', false))
  ORDER BY f.failed_at, f.job_id
  LIMIT $2::integer
)
SELECT count(*) FILTER (WHERE rowrunner.requeue($1, job_id)) FROM oldest
