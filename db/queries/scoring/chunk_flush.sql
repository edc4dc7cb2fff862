-- An effect: scores of run $1. $2 rows, $3 blocks, $4 scores as arrays, $5 providers, $6 models.
INSERT INTO public.scoring_scores (run_id, row_index, block_index, scores, provider, model, in_sheet)
SELECT $1::bigint, f.row_index, f.block_index, f.scores::float8[], f.provider, f.model,
       (SELECT false FROM public.scoring_sheet_jobs s WHERE s.run_id = $1::bigint)
FROM unnest($2::integer[], $3::integer[], $4::text[], $5::text[], $6::text[])
  AS f (row_index, block_index, scores, provider, model)
ON CONFLICT (run_id, row_index, block_index) DO NOTHING
