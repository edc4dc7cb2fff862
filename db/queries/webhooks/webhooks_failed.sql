-- Up to $5 deliveries that were given up, the latest first, before the failure ($1, $2) (NULL: all); of receiver $3 and
-- of source $4 alone, unless NULL.
SELECT d.id, d.url, d.event, d.source, d.status, d.attempts, d.max_attempts, f.error, d.answer_status,
       to_char(d.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       to_char(f.failed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM rowrunner.kinds k
JOIN rowrunner.failures f ON f.kind = k.id
JOIN public.webhook_deliveries d ON d.id = f.job_id AND d.status = 'failed'
WHERE k.kind = 'webhook_delivery'
  AND ($1::timestamptz IS NULL OR (f.failed_at, f.job_id) < ($1::timestamptz, $2::uuid))
  AND ($3::text IS NULL OR d.url = $3) AND ($4::text IS NULL OR d.source = $4)
ORDER BY f.kind DESC, f.failed_at DESC, f.job_id DESC
LIMIT $5::integer
