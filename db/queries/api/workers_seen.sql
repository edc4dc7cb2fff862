-- Up to $1 workers that reported in the last hour, those that are alive first, with the jobs that they run.
WITH running AS MATERIALIZED (
  SELECT l.worker, sum(cardinality(l.job_ids)) AS jobs FROM rowrunner.leases l GROUP BY l.worker
)
SELECT w.worker, array_to_json(w.kinds), w.version,
       to_char(w.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       to_char(w.seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       w.seen_at > now() - interval '30 seconds' AS alive, coalesce(r.jobs, 0)
FROM rowrunner.workers w LEFT JOIN running r ON r.worker = w.worker
WHERE w.seen_at > now() - interval '1 hour'
ORDER BY alive DESC, w.worker
LIMIT $1::integer
