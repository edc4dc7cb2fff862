-- Ends running jobs as cancelled. $1 ids, $2 leases, $3 reasons, $4 the status of cancelled jobs.
WITH ended AS (
  UPDATE {jobs} j
  SET status = $4, last_error = f.reason, updated_at = now()
  FROM unnest($1::uuid[], $2::bigint[], $3::text[]) AS f (id, lease, reason)
  WHERE j.id = f.id AND j.status = 'processing' AND j.lease = f.lease
  RETURNING CASE WHEN j.status <> 'processing' THEN j.id
                 ELSE rowrunner.refuse_end(j.id)::uuid END AS id, f.lease
)
SELECT id, lease FROM ended
UNION ALL
SELECT NULL, NULL
WHERE (SELECT count(*) FROM ended) < cardinality($1::uuid[])
  AND NOT rowrunner.none_kept({table}::regclass, $1, $2)
