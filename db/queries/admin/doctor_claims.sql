-- What keeps workers from claiming jobs: errors that live workers report of whole kinds, and jobs that claims pass over
-- because their row cannot be written.
SELECT k.kind, format('%s of %s live workers can claim no job: %s', count(*) FILTER (WHERE w.problems ? k.kind),
                      count(*), min(w.problems ->> k.kind)),
       'the log of the worker has the whole error'
FROM rowrunner.kinds k JOIN rowrunner.live_workers w ON k.kind = ANY (w.kinds)
GROUP BY k.kind HAVING count(*) FILTER (WHERE w.problems ? k.kind) > 0
UNION ALL
SELECT k.kind, format('%s %s be claimed: %s', count(*), CASE count(*) WHEN 1 THEN 'job cannot' ELSE 'jobs cannot' END,
                      (array_agg(e.error ORDER BY e.failed_at DESC))[1]),
       format('make the rows fit; rowrunner jobs list --kind %s --status delayed lists them', k.kind)
FROM rowrunner.kinds k
JOIN rowrunner.claim_errors e ON e.kind = k.id
CROSS JOIN LATERAL (SELECT FROM rowrunner.delayed d
                    WHERE d.kind = e.kind AND d.run_at = e.retry_at AND d.job_id = e.job_id LIMIT 1) entry
GROUP BY k.kind
ORDER BY 1
