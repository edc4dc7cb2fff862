-- The document of job $1 has $2 pages.
UPDATE public.ocr_relay_jobs j SET total_pages = $2::integer WHERE j.id = $1::uuid
