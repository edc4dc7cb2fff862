-- What is known when the chunks of run $1 have ended: how many failed, the first of them with its error, and how many
-- (row, block)s could not be scored.
SELECT (SELECT count(*) FROM public.scoring_chunk_jobs j WHERE j.run_id = r.run_id AND j.status <> 'succeeded'),
       (SELECT 'chunk-' || lpad(j.chunk_no::text, greatest(4, length(j.chunk_no::text)), '0') || ': '
               || coalesce(j.last_error, 'no reason is known')
        FROM public.scoring_chunk_jobs j WHERE j.run_id = r.run_id AND j.status <> 'succeeded'
        ORDER BY j.chunk_no LIMIT 1),
       (SELECT count(*) FROM public.scoring_failures f WHERE f.run_id = r.run_id),
       (SELECT count(*) FROM public.scoring_chunk_jobs j
        WHERE j.run_id = r.run_id AND j.status IN ('queued', 'processing'))
FROM public.scoring_runs r WHERE r.run_id = $1::bigint
