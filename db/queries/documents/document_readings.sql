-- What was read of the pages of document $1 from $2 to $3, for a layer of text over them.
SELECT p.page, p.text, coalesce(p.confidence, 0), p.words, (p.meta->>'width')::integer, (p.meta->>'height')::integer,
       (p.meta->>'dpi')::integer, p.blank
FROM public.document_pages p
WHERE p.document_id = $1::uuid AND p.page BETWEEN $2::integer AND $3::integer
  AND jsonb_typeof(p.words) = 'array' AND p.meta ? 'width' ORDER BY p.page
