-- The next rows of run $1 after row $2 with their scores, an array of NULL or of scores for each block: at most $3 rows,
-- and about $4 bytes of them.
WITH page AS MATERIALIZED (
  SELECT r.row_index, r.cells FROM public.scoring_rows r
  WHERE r.run_id = $1::bigint AND r.row_index > $2::integer ORDER BY r.row_index LIMIT $3::integer
), sized AS MATERIALIZED (
  SELECT p.row_index, sum(octet_length(p.cells::text)) OVER (ORDER BY p.row_index) - octet_length(p.cells::text) AS before
  FROM page p
)
SELECT p.row_index, to_jsonb(p.cells),
       (SELECT jsonb_object_agg(s.block_index, s.scores)
        FROM public.scoring_scores s WHERE s.run_id = $1::bigint AND s.row_index = p.row_index)
FROM page p JOIN sized z ON z.row_index = p.row_index AND z.before < $4::bigint
ORDER BY p.row_index
