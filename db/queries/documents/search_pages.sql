-- Pages that have the text $1, of documents of user $2 or of all if it is NULL: the newest document first, its pages in
-- order; after the page $5 of the document $4 of time $3, if given; at most $6. The pages of one user are read through
-- the documents of that user, so that a search costs nothing for the pages of others; only if all are searched, or a
-- user has more than 20,000 pages, the index gives the pages that have all bigrams of the text, which may stand apart.
WITH wanted AS MATERIALIZED (
  SELECT public.folded_text($1) AS folded
), whole AS MATERIALIZED (
  SELECT $2::text IS NULL
         OR coalesce((SELECT sum(d.total_pages) FROM public.documents d WHERE d.user_id = $2), 0) > 20000 AS index
), own AS MATERIALIZED (
  SELECT d.document_id FROM public.documents d WHERE d.user_id = $2 AND NOT (SELECT index FROM whole)
), hit AS MATERIALIZED (
  SELECT o.document_id, p.page
  FROM own o CROSS JOIN LATERAL (SELECT x.page FROM public.document_pages x
                                 WHERE x.document_id = o.document_id
                                   AND strpos(x.folded, (SELECT folded FROM wanted)) > 0 OFFSET 0) p
  UNION ALL
  SELECT p.document_id, p.page
  FROM public.document_pages p
  WHERE (SELECT index FROM whole)
    AND public.text_bigrams(p.folded) @> public.text_bigrams(public.folded_text($1))
    AND strpos(p.folded, public.folded_text($1)) > 0
), found AS MATERIALIZED (
  SELECT d.document_id, d.title, d.user_id, d.created_at, h.page
  FROM hit h CROSS JOIN LATERAL (SELECT * FROM public.documents x WHERE x.document_id = h.document_id OFFSET 0) d
  WHERE ($2::text IS NULL OR d.user_id = $2)
    AND ($3::timestamptz IS NULL OR (d.created_at, d.document_id) < ($3::timestamptz, $4::uuid)
         OR ((d.created_at, d.document_id) = ($3::timestamptz, $4::uuid) AND h.page > $5::integer))
  ORDER BY d.created_at DESC, d.document_id DESC, h.page
  LIMIT $6::integer
)
SELECT f.document_id::text, f.title, f.user_id, f.page,
       CASE WHEN strpos(p.text, $1) > 0 THEN substr(p.text, greatest(1, strpos(p.text, $1) - 60), 160)
            ELSE substr(p.folded, greatest(1, strpos(p.folded, w.folded) - 60), 160) END,
       p.confidence, to_char(f.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM wanted w CROSS JOIN found f
JOIN public.document_pages p ON p.document_id = f.document_id AND p.page = f.page
ORDER BY f.created_at DESC, f.document_id DESC, f.page
