-- The chunks of run $1 in the document's words.
SELECT 'chunk-' || lpad(j.chunk_no::text, greatest(4, length(j.chunk_no::text)), '0') AS chunk_id, j.row_start,
       j.row_end,
       CASE j.status WHEN 'queued' THEN 'pending' WHEN 'processing' THEN 'running' WHEN 'succeeded' THEN 'completed'
                     ELSE 'failed' END AS status,
       j.attempts AS retry_count, j.last_error,
       to_char(greatest(j.updated_at, c.updated_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS updated_at,
       j.id, c.processed_rows, c.processed_blocks
FROM public.scoring_chunk_jobs j
JOIN public.scoring_chunk_counts c ON c.run_id = j.run_id AND c.chunk_no = j.chunk_no
WHERE j.run_id = $1::bigint
ORDER BY j.chunk_no
