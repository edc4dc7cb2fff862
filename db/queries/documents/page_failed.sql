-- Page $2 of document $1 could not be read, because of $3. A text that an earlier job has read stays.
INSERT INTO public.document_pages AS p (document_id, page, error) VALUES ($1::uuid, $2::integer, $3)
ON CONFLICT (document_id, page) DO UPDATE SET error = excluded.error, updated_at = now()
