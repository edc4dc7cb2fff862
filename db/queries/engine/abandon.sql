-- After a claim whose answer was lost: releases, uncharged, what was taken under lease $1.
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
)
SELECT id FROM back
UNION ALL
SELECT NULL FROM ended e
WHERE (SELECT count(*) FROM back) < cardinality(e.job_ids)
  AND NOT rowrunner.none_kept({table}::regclass, e.job_ids, array_fill(e.lease, ARRAY[cardinality(e.job_ids)]))
