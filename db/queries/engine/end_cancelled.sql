-- Ends running jobs as cancelled. $1 ids, $2 leases, $3 reasons, $4 the status of cancelled jobs.
WITH ended AS (
  UPDATE {jobs} j
  SET status = $4, last_error = f.reason, updated_at = now()
  FROM unnest($1::uuid[], $2::bigint[], $3::text[]) AS f (id, lease, reason)
  WHERE j.id = f.id AND j.status = 'processing' AND j.lease = f.lease
  RETURNING CASE WHEN j.status <> 'processing' THEN j.id
                 ELSE rowrunner.refuse_end(j.id)::uuid END AS id, f.lease
), kept AS MATERIALIZED (
  -- As in succeed.
  SELECT j.id
  FROM unnest($1::uuid[], $2::bigint[]) AS f (id, lease) JOIN {jobs} j ON j.id = f.id
  WHERE (SELECT count(*) FROM ended) < cardinality($1::uuid[])
    AND CASE WHEN j.status = 'processing' AND j.lease = f.lease
             THEN j.id NOT IN (SELECT e.id FROM ended e WHERE e.lease = f.lease) END
  FOR NO KEY UPDATE OF j SKIP LOCKED
)
SELECT id, lease FROM ended
UNION ALL SELECT rowrunner.refuse_end(k.id)::uuid, NULL FROM kept k
