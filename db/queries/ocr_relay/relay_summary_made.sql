-- What summary $1 says: $2 DONE or ERROR, $3 its payload.
UPDATE public.ocr_relay_summaries s SET outcome = $2, payload = $3::json WHERE s.id = $1::uuid
