-- The newest $4 documents, of user $1 or of all if it is NULL, before the one of time $2 and id $3 if given, each with
-- its newest job and how many of its pages have been read.
SELECT d.document_id::text, d.title, d.user_id, d.total_pages, d.bytes,
       to_char(d.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       (SELECT count(*) FROM public.document_pages p WHERE p.document_id = d.document_id AND p.error IS NULL),
       j.job_id, j.status
FROM (SELECT * FROM public.documents x
      WHERE ($1::text IS NULL OR x.user_id = $1)
        AND ($2::timestamptz IS NULL OR (x.created_at, x.document_id) < ($2::timestamptz, $3::uuid))
      ORDER BY x.created_at DESC, x.document_id DESC LIMIT $4::integer) d
LEFT JOIN LATERAL (SELECT y.job_id, y.status FROM public.document_jobs y WHERE y.document_id = d.document_id
                   ORDER BY y.created_at DESC, y.id DESC LIMIT 1) j ON true
ORDER BY d.created_at DESC, d.document_id DESC
