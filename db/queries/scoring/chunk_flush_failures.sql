-- An effect: (row, block)s of run $1 that could not be scored: $2 rows, $3 blocks, $4 reasons.
INSERT INTO public.scoring_failures (run_id, row_index, block_index, reason)
SELECT $1::bigint, f.row_index, f.block_index, f.reason
FROM unnest($2::integer[], $3::integer[], $4::text[]) AS f (row_index, block_index, reason)
ON CONFLICT (run_id, row_index, block_index) DO NOTHING
