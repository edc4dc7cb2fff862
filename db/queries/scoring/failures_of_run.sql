-- What could not be scored of run $1, at most $2.
SELECT f.row_index, f.block_index, f.reason
FROM public.scoring_failures f WHERE f.run_id = $1::bigint ORDER BY f.row_index, f.block_index LIMIT $2::integer
