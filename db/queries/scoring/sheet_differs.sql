-- An effect: the spreadsheet of run $1 does not have the scores of rows $2, blocks $3 after all.
UPDATE public.scoring_scores s SET in_sheet = false
FROM unnest($2::integer[], $3::integer[]) AS w (row_index, block_index)
WHERE s.run_id = $1::bigint AND s.row_index = w.row_index AND s.block_index = w.block_index
