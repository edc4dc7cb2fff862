-- What the chunk $2 of run $1 needs to know.
SELECT r.provider, r.model, r.system_prompt, r.utterance_column, r.blocks, r.config, c.flushes, c.processed_blocks,
       r.name
FROM public.scoring_runs r JOIN public.scoring_chunk_counts c ON c.run_id = r.run_id AND c.chunk_no = $2::integer
WHERE r.run_id = $1::bigint
