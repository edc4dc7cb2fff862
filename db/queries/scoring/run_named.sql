-- The run named $1.
SELECT r.run_id, r.content_hash, r.provider, r.model, to_jsonb(r.header), r.blocks, r.config, r.row_start, r.row_count, r.status,
       r.reason, r.block_count, r.round, r.bom
FROM public.scoring_runs r WHERE r.name = $1
