-- After a claim whose answer was lost: gives back, uncharged, whatever was taken under lease $1.
WITH ended AS (
  DELETE FROM rowrunner.leases WHERE lease = $1::bigint RETURNING lease, job_ids
)
UPDATE {jobs} j
SET status = 'queued', lease = NULL, locked_at = NULL, locked_by = NULL, updated_at = now()
FROM ended e
WHERE j.id = ANY (e.job_ids) AND j.status = 'processing' AND j.lease = e.lease
RETURNING j.id
