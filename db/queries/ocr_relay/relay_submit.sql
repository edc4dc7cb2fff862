-- Takes a job: $1 orderId, $2 fileId, $3 prompt, $4 pattern, $5 masters, $6 and $7 url and token of the webhook,
-- $8 success_by, $9 gemini, $10 options, $11 idempotencyKey, $12 seconds that the summary waits for deliveries.
SELECT s.job_id, s.correlation_id
FROM public.ocr_relay_submit($1, $2, $3, $4, $5::json, $6, $7, $8, $9::json, $10::json, $11,
                             make_interval(secs => $12::double precision)) s
