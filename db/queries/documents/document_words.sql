-- The words of page $2 of document $1.
SELECT p.words FROM public.document_pages p WHERE p.document_id = $1::uuid AND p.page = $2::integer
