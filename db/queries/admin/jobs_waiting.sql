-- Up to $4 waiting jobs of kind $1 in the order of the queue, behind the entry ($2, $3). Entries whose
-- job has moved on are left out, as a claim would.
SELECT to_json(j.*) AS job,
       lpad((q.priority + 32768)::text, 5, '0') ||
         lpad((q.seq + 9223372036854775808)::text, 20, '0') AS rank,
       q.priority || ':' || q.seq AS cursor
FROM rowrunner.queue q
JOIN {jobs} j ON j.id = q.job_id AND j.status = 'queued' AND j.priority = q.priority
             AND j.run_at <= now()
WHERE q.kind = $1::smallint AND (q.priority, q.seq) > ($2::smallint, $3::bigint)
ORDER BY q.kind, q.priority, q.seq
LIMIT $4::integer
