-- One delivery; whether it has a token is told, the token is not.
SELECT d.id, d.url, d.event, d.source, d.status, d.attempts, d.max_attempts, d.last_error, d.answer_status,
       to_char(d.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       CASE WHEN d.status = 'queued' AND d.run_at < 'infinity'
            THEN to_char(d.run_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') END,
       d.payload, d.has_token, d.success_by, d.answer_body,
       to_char(d.answered_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM public.webhook_deliveries d WHERE d.id = $1::uuid
