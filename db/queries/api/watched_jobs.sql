-- The jobs $2 of kind $1 as viewers see them: found by their key, whatever the statistics say. The end is estimated
-- for the moment of the last report, so that it changes only with one: by the time that this run has taken for what it
-- has done. What earlier runs stored as numbered steps is done, but not by this one; notes of failures (page-0001-failed-…)
-- and steps such as "pages" are none of it. Until this run has done something there is no estimate. A table without
-- the status cancelled calls such a job failed, with the reason as its error; in others a failed job has failed,
-- whatever its error says.
SELECT j.id::text, j.status, j.attempts, j.max_attempts, left(j.last_error, 2000),
       to_char(j.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       to_char(greatest(j.updated_at, p.updated_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       {public_id}, {owner}, {document}, p.done, p.total, p.message,
       CASE WHEN j.status = 'processing' AND p.done > e.earlier AND p.total >= p.done AND p.updated_at > j.locked_at THEN
         to_char((p.updated_at + (p.updated_at - j.locked_at) * ((p.total - p.done)::float8 / (p.done - e.earlier)))
                 AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') END,
       {job_type}, {total_pages}, {retry_count},
       j.status = 'cancelled'
       OR j.status = 'failed' AND coalesce(j.last_error = 'cancelled' OR j.last_error LIKE 'cancelled: %', false)
          AND EXISTS (SELECT FROM rowrunner.kinds k WHERE k.id = $1::smallint AND k.cancelled_status = 'failed'),
       {co_owner}
FROM unnest($2::uuid[]) AS wanted (id)
CROSS JOIN LATERAL (SELECT * FROM {jobs} x WHERE x.id = wanted.id OFFSET 0) j
LEFT JOIN LATERAL (SELECT * FROM rowrunner.progress x
                   WHERE x.kind = $1::smallint AND x.job_id = wanted.id OFFSET 0) p ON true
LEFT JOIN LATERAL (SELECT count(*) AS earlier FROM rowrunner.steps s
                   WHERE s.kind = $1::smallint AND s.job_id = wanted.id AND s.created_at < j.locked_at
                     AND s.step ~ '[0-9]$' AND s.step !~ '-failed-' AND j.status = 'processing') e ON true
