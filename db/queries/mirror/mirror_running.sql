-- The jobs of kind $1 that run and have reported progress, and when they last did.
SELECT p.job_id, p.updated_at
FROM rowrunner.leases l
CROSS JOIN LATERAL unnest(l.job_ids) AS r (job_id)
CROSS JOIN LATERAL (SELECT * FROM rowrunner.progress x
                    WHERE x.kind = $1::smallint AND x.job_id = r.job_id OFFSET 0) p
WHERE l.kind = $1::smallint
