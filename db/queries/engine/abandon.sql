-- After a claim whose answer was lost: gives back, uncharged, whatever was taken under lease $1.
WITH ended AS (
  DELETE FROM rowrunner.leases l
  WHERE l.lease = $1::bigint
    AND EXISTS (SELECT FROM rowrunner.kinds k WHERE k.id = l.kind AND k.job_table = {table}::regclass)
  RETURNING l.lease, l.job_ids
), back AS (
  UPDATE {jobs} j
  SET status = 'queued', lease = NULL, locked_at = NULL, locked_by = NULL, updated_at = now()
  FROM ended e
  WHERE j.id = ANY (e.job_ids) AND j.status = 'processing' AND j.lease = e.lease
  RETURNING CASE WHEN j.status <> 'processing' THEN j.id ELSE rowrunner.refuse_end(j.id)::uuid END AS id
), kept AS MATERIALIZED (
  -- As in succeed.
  SELECT j.id
  FROM ended e JOIN {jobs} j ON j.id = ANY (e.job_ids)
  WHERE (SELECT count(*) FROM back) < cardinality(e.job_ids)
    AND CASE WHEN j.status = 'processing' AND j.lease = e.lease THEN j.id NOT IN (SELECT id FROM back) END
  FOR NO KEY UPDATE OF j SKIP LOCKED
)
SELECT id FROM back UNION ALL SELECT rowrunner.refuse_end(k.id)::uuid FROM kept k
