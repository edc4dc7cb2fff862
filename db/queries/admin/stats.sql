-- What every kind has to do beside what waits (waiting.sql), what was done in the last hour, how many jobs wait for
-- others, and what is wrong with its claims: how many live workers can claim nothing and why, how many jobs claims pass
-- over and why. Counts stop at $1, so that a long list costs no more than that; none of them reads a job table.
SELECT k.id, k.kind, k.paused,
       (SELECT count(*) FROM (SELECT FROM rowrunner.delayed d WHERE d.kind = k.id LIMIT $1::integer) x),
       (SELECT coalesce(sum(cardinality(l.job_ids)), 0) FROM rowrunner.leases l WHERE l.kind = k.id),
       (SELECT count(*) FROM (SELECT FROM rowrunner.failures f WHERE f.kind = k.id LIMIT $1::integer) x),
       (SELECT count(*) FROM rowrunner.live_workers w WHERE k.kind = ANY (w.kinds)),
       coalesce(c.claimed, 0), coalesce(c.succeeded, 0), coalesce(c.failed, 0), coalesce(c.retried, 0),
       coalesce(c.rescued, 0), coalesce(c.released, 0), coalesce(c.refused, 0),
       (SELECT count(*) FROM (SELECT FROM rowrunner.waits w WHERE w.child_kind = k.id LIMIT $1::integer) x) AS held,
       failing.workers, failing.error, passed_over.jobs, passed_over.error
FROM rowrunner.kinds k
CROSS JOIN LATERAL (
  SELECT count(*) AS workers, min(w.problems ->> k.kind) AS error
  FROM rowrunner.live_workers w WHERE k.kind = ANY (w.kinds) AND w.problems ? k.kind) failing
CROSS JOIN LATERAL (
  SELECT count(*) AS jobs, (array_agg(x.error ORDER BY x.failed_at DESC))[1] AS error
  FROM (SELECT e.error, e.failed_at
        FROM rowrunner.claim_errors e
        -- Its entry waits for the next try; without it the row is of an earlier time.
        CROSS JOIN LATERAL (SELECT FROM rowrunner.delayed d
                            WHERE d.kind = e.kind AND d.run_at = e.retry_at AND d.job_id = e.job_id LIMIT 1) entry
        WHERE e.kind = k.id LIMIT $1::integer) x) passed_over
LEFT JOIN (
  SELECT kind, sum(claimed) AS claimed, sum(succeeded) AS succeeded, sum(failed) AS failed,
         sum(retried) AS retried, sum(rescued) AS rescued, sum(released) AS released,
         sum(refused) AS refused
  FROM rowrunner.counters WHERE minute > now() - interval '60 minutes' GROUP BY kind
) c ON c.kind = k.id
ORDER BY k.kind
