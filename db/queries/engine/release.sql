-- Puts jobs back uncharged: at the front of the queue, or, with a delay of $3 ms, later. $1 ids,
-- $2 leases, $4 the status of cancelled jobs, for those whose cancel was requested meanwhile.
WITH ended AS (
  UPDATE {jobs} j
  SET status = CASE WHEN c.reason IS NOT NULL THEN $4 ELSE 'queued' END,
      last_error = coalesce(c.reason, j.last_error),
      run_at = CASE WHEN f.delay_ms > 0 THEN now() + f.delay_ms * interval '1 ms' ELSE j.run_at END,
      lease = NULL, locked_at = NULL, locked_by = NULL, updated_at = now()
  FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS f (id, lease, delay_ms)
       LEFT JOIN rowrunner.cancellations c ON c.lease = f.lease AND c.job_id = f.id
  WHERE j.id = f.id AND j.status = 'processing' AND j.lease = f.lease
  RETURNING CASE WHEN j.status <> 'processing' THEN j.id
                 ELSE rowrunner.refuse_end(j.id)::uuid END AS id, f.lease
)
SELECT id, lease FROM ended
UNION ALL
SELECT NULL, NULL
WHERE (SELECT count(*) FROM ended) < cardinality($1::uuid[])
  AND NOT rowrunner.none_kept({table}::regclass, $1, $2)
