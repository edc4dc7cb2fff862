-- Up to $3 deliveries about $1 after the delivery $2 (NULL: from the first), in the order in which they were enqueued.
SELECT d.id, d.url, d.event, d.source, d.status, d.attempts, d.max_attempts, d.last_error, d.answer_status,
       to_char(d.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       to_char(d.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM public.webhook_deliveries d
WHERE d.source = $1 AND ($2::uuid IS NULL OR d.id > $2::uuid) ORDER BY d.id LIMIT $3::integer
