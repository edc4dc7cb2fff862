-- Charges an attempt. $1 ids, $2 leases, $3 errors, $4 delays in ms, $5 whether each is final, $6 how
-- long each ran in ms, $7 the status of cancelled jobs, $8 this worker, $9 the kind. Queued again while
-- attempts are left, unless its cancel was requested.
WITH ended AS (
  UPDATE {jobs} j
  SET attempts = least(j.attempts, 2147483646) + 1,
      status = CASE WHEN c.reason IS NOT NULL THEN $7
                    WHEN f.final OR least(j.attempts, 2147483646) + 1 >= j.max_attempts THEN 'failed'
                    ELSE 'queued' END,
      last_error = coalesce(c.reason, f.error),
      run_at = now() + f.delay_ms * interval '1 ms',
      lease = NULL, locked_at = NULL, locked_by = NULL, updated_at = now()
  FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::bigint[], $5::boolean[],
              $6::bigint[]) AS f (id, lease, error, delay_ms, final, ran_ms)
       LEFT JOIN rowrunner.cancellations c ON c.lease = f.lease AND c.job_id = f.id
  WHERE j.id = f.id AND j.status = 'processing' AND j.lease = f.lease
  RETURNING j.id, f.lease, CASE WHEN j.status <> 'processing' THEN j.status
                                ELSE rowrunner.refuse_end(j.id) END AS status, j.attempts, f.error, f.ran_ms
), noted AS (
  INSERT INTO rowrunner.attempts (kind, job_id, attempt, worker, started_at, error)
  SELECT $9::smallint, id, attempts, $8, now() - ran_ms * interval '1 ms', error FROM ended
)
SELECT id, lease, status FROM ended
UNION ALL
SELECT NULL, NULL, NULL
WHERE (SELECT count(*) FROM ended) < cardinality($1::uuid[])
  AND NOT rowrunner.none_kept({table}::regclass, $1, $2)
