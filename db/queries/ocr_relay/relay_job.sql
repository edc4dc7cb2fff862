-- The job that others know as $1, with how far it is: its page counts are computed from its pages and deliveries.
SELECT j.id, j.job_id, j.order_id, j.status,
       j.status = 'queued' AND j.attempts = 0 AND j.total_pages IS NULL AS not_begun, j.run_at > now() AS held,
       j.file_id, j.prompt, j.pattern, j.masters_json, j.webhook_url,
       to_char(j.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS') AS created_at,
       to_char(greatest(j.updated_at, s.updated_at, p.updated_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')
         AS updated_at,
       j.total_pages, p.processed, p.skipped, j.last_error, s.outcome, s.payload,
       s.status IN ('failed', 'cancelled') AS unsent, s.last_error AS why_unsent
FROM public.ocr_relay_jobs j
LEFT JOIN public.ocr_relay_summaries s ON s.id = j.summary_id
CROSS JOIN LATERAL (
  SELECT max(g.updated_at) AS updated_at,
         count(*) FILTER (WHERE g.status = 'DONE' AND NOT g.is_non_order_page AND d.delivered_at IS NOT NULL)
           AS processed,
         count(*) FILTER (WHERE g.status = 'ERROR' OR g.is_non_order_page
                             OR (d.status IN ('failed', 'cancelled') AND d.delivered_at IS NULL)) AS skipped
  FROM public.ocr_relay_pages g LEFT JOIN public.webhook_deliveries d ON d.id = g.delivery
  WHERE g.job = j.id) p
WHERE j.job_id = $1
