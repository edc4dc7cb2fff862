-- Up to $3 running jobs of kind $1, the newest first, before id $2 (NULL: all). The leases name them.
SELECT to_json(j.*) AS job, j.id::text AS rank, j.id::text AS cursor
FROM rowrunner.leases l
CROSS JOIN unnest(l.job_ids) AS named (id)
JOIN {jobs} j ON j.id = named.id AND j.status = 'processing' AND j.lease = l.lease
WHERE l.kind = $1::smallint AND ($2::uuid IS NULL OR j.id < $2::uuid)
ORDER BY j.id DESC
LIMIT $3::integer
