-- The next $3 rows of run $1 after row $2 that its spreadsheet has, with all their scores by block.
SELECT r.row_index, r.cells[g.utterance_column + 1], jsonb_object_agg(s.block_index, s.scores)
FROM public.scoring_rows r
JOIN public.scoring_runs g ON g.run_id = r.run_id
JOIN public.scoring_scores s ON s.run_id = r.run_id AND s.row_index = r.row_index AND s.in_sheet
WHERE r.run_id = $1::bigint AND r.row_index > $2::integer
GROUP BY r.run_id, r.row_index, g.utterance_column
ORDER BY r.row_index LIMIT $3::integer
