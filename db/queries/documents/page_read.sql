-- Page $2 of document $1 was read: its text $3, whether it is blank $4, confidence $5, words $6, meta $7.
INSERT INTO public.document_pages AS p (document_id, page, text, blank, confidence, words, meta)
VALUES ($1::uuid, $2::integer, $3, $4::boolean, $5::real, $6::jsonb, $7::jsonb)
ON CONFLICT (document_id, page) DO UPDATE
SET text = excluded.text, blank = excluded.blank, confidence = excluded.confidence, words = excluded.words,
    meta = excluded.meta, error = NULL, updated_at = now()
