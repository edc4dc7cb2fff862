-- Pages of document $1 after page $2, at most $3.
SELECT p.page, p.text, p.blank, p.confidence, p.error,
       to_char(p.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), p.meta
FROM public.document_pages p
WHERE p.document_id = $1::uuid AND p.page > $2::integer ORDER BY p.page LIMIT $3::integer
