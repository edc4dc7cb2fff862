-- The next $2 scores of run $1 that its spreadsheet lacks, with the utterance of their row.
SELECT s.row_index, s.block_index, to_jsonb(s.scores), r.cells[g.utterance_column + 1]
FROM public.scoring_scores s
JOIN public.scoring_rows r ON r.run_id = s.run_id AND r.row_index = s.row_index
JOIN public.scoring_runs g ON g.run_id = s.run_id
WHERE s.run_id = $1::bigint AND NOT s.in_sheet
ORDER BY s.block_index, s.row_index LIMIT $2::integer
