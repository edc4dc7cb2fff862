-- Up to $2 jobs of kind $1 whose time has not come, the next one first; also those that claims pass over, at the time
-- of the next try.
SELECT to_json(j.*) AS job, to_char(d.run_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') AS rank,
       '' AS cursor
FROM rowrunner.delayed d
JOIN {jobs} j ON j.id = d.job_id AND j.status = 'queued' AND j.priority = d.priority
             AND (j.run_at = d.run_at
                  OR EXISTS (SELECT FROM rowrunner.claim_errors e
                             WHERE e.kind = d.kind AND e.job_id = d.job_id AND e.retry_at = d.run_at))
WHERE d.kind = $1::smallint
ORDER BY d.kind, d.run_at
LIMIT $2::integer
