SELECT p.page_index, p.status, p.is_non_order_page, p.raw_text, p.error, p.meta_json
FROM public.ocr_relay_pages p WHERE p.job = $1::uuid ORDER BY p.page_index
