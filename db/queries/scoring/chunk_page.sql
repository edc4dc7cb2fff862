-- The next $4 rows of run $1 after row $2, up to row $3, each with its utterance and the blocks that are done: those
-- that have their scores, and those that are known to fail.
SELECT r.row_index, r.cells[g.utterance_column + 1],
       ARRAY(SELECT s.block_index FROM public.scoring_scores s WHERE s.run_id = r.run_id AND s.row_index = r.row_index
             UNION
             SELECT f.block_index FROM public.scoring_failures f
             WHERE f.run_id = r.run_id AND f.row_index = r.row_index) AS done
FROM public.scoring_rows r JOIN public.scoring_runs g ON g.run_id = r.run_id
WHERE r.run_id = $1::bigint AND r.row_index > $2::integer AND r.row_index <= $3::integer
ORDER BY r.row_index LIMIT $4::integer
