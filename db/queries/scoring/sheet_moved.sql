-- An effect: the rows $2 of the spreadsheet of run $1 have another utterance now. Their scores are not written.
WITH noted AS (
  INSERT INTO public.scoring_moved_rows (run_id, row_index)
  SELECT $1::bigint, m FROM unnest($2::integer[]) m ON CONFLICT DO NOTHING
)
UPDATE public.scoring_scores s SET in_sheet = NULL WHERE s.run_id = $1::bigint AND s.row_index = ANY ($2::integer[])
