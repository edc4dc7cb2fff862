-- What the summary $1 is about.
SELECT j.id, j.job_id, j.order_id, j.status, j.last_error, j.total_pages, j.webhook_url, j.success_by, t.token
FROM public.ocr_relay_summaries s
JOIN public.ocr_relay_jobs j ON j.id = s.relay
JOIN public.ocr_relay_tokens t ON t.job = j.id
WHERE s.id = $1::uuid
