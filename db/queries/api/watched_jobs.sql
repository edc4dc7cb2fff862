-- The jobs $2 of kind $1 as viewers see them: found by their key, whatever the statistics say. The end is estimated
-- for the moment of the last report, so that it changes only with one.
SELECT j.id::text, j.status, j.attempts, j.max_attempts, left(j.last_error, 2000),
       to_char(j.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       to_char(greatest(j.updated_at, p.updated_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       {public_id}, {owner}, {document}, p.done, p.total, p.message,
       CASE WHEN j.status = 'processing' AND p.done > 0 AND p.total >= p.done AND p.updated_at > j.locked_at THEN
         to_char((p.updated_at + (p.updated_at - j.locked_at) * ((p.total - p.done)::float8 / p.done))
                 AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') END
FROM unnest($2::uuid[]) AS wanted (id)
CROSS JOIN LATERAL (SELECT * FROM {jobs} x WHERE x.id = wanted.id OFFSET 0) j
LEFT JOIN LATERAL (SELECT * FROM rowrunner.progress x
                   WHERE x.kind = $1::smallint AND x.job_id = wanted.id OFFSET 0) p ON true
