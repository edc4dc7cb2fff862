-- Up to $3 deliveries that have failed and are tried again, the next one first; of receiver $1 and of source $2 alone,
-- unless NULL.
SELECT d.id, d.url, d.event, d.source, d.status, d.attempts, d.max_attempts, d.last_error, d.answer_status,
       to_char(d.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       to_char(w.run_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM rowrunner.kinds k
JOIN rowrunner.delayed w ON w.kind = k.id
JOIN public.webhook_deliveries d ON d.id = w.job_id AND d.status = 'queued' AND d.attempts > 0
WHERE k.kind = 'webhook_delivery'
  AND ($1::text IS NULL OR d.url = $1) AND ($2::text IS NULL OR d.source = $2)
ORDER BY w.kind, w.run_at
LIMIT $3::integer
