-- Page $2 of job $1 could not be read, because of $3.
INSERT INTO public.ocr_relay_pages (job, page_index, status, error) VALUES ($1::uuid, $2::integer, 'ERROR', $3)
ON CONFLICT (job, page_index) DO UPDATE SET error = excluded.error, updated_at = now()
WHERE ocr_relay_pages.status = 'ERROR'
