-- Document $1 with its newest job.
SELECT d.document_id::text, d.title, d.user_id, d.total_pages, d.bytes,
       to_char(d.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       (SELECT count(*) FROM public.document_pages p WHERE p.document_id = d.document_id AND p.error IS NULL),
       j.job_id, j.status
FROM public.documents d
LEFT JOIN LATERAL (SELECT y.job_id, y.status FROM public.document_jobs y WHERE y.document_id = d.document_id
                   ORDER BY y.created_at DESC, y.id DESC LIMIT 1) j ON true
WHERE d.document_id = $1::uuid
