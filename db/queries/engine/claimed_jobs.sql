-- The jobs of lease $1 as claim answers them, in the order in which they were taken.
SELECT NULL AS seen, j.priority AS entry_priority, n.position AS entry_seq, j.id, j.attempts, j.max_attempts,
       j.run_at AS due_at{columns}
FROM rowrunner.leases l CROSS JOIN unnest(l.job_ids) WITH ORDINALITY AS n (id, position)
JOIN {jobs} j ON j.id = n.id
WHERE l.lease = $1::bigint AND CASE WHEN j.status = 'processing' THEN j.lease = l.lease END
