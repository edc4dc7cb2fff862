-- Every page of job $1, and what became of its delivery.
SELECT p.page_index, p.status, p.is_non_order_page, p.error, d.delivered_at IS NOT NULL AS delivered, d.status,
       d.last_error
FROM public.ocr_relay_pages p LEFT JOIN public.webhook_deliveries d ON d.id = p.delivery
WHERE p.job = $1::uuid ORDER BY p.page_index
