-- The next $4 completed blocks of run $1 after (row $2, block $3).
SELECT s.row_index, s.block_index, to_char(s.scored_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
FROM public.scoring_scores s
WHERE s.run_id = $1::bigint AND (s.row_index, s.block_index) > ($2::integer, $3::integer)
ORDER BY s.row_index, s.block_index LIMIT $4::integer
