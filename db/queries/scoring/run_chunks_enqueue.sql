-- A job for each chunk of run $1, of $2 rows, with the attempts that its config names. Says how many.
WITH chunk AS MATERIALIZED (
  SELECT r.run_id, n AS chunk_no, r.row_start + (n - 1) * $2::integer AS row_start,
         least(r.row_start + n * $2::integer, r.row_start + r.row_count) - 1 AS row_end,
         (r.config->>'chunk_retry_limit')::integer AS max_attempts
  FROM public.scoring_runs r,
       generate_series(1, (r.row_count + $2::integer - 1) / $2::integer) n
  WHERE r.run_id = $1::bigint
), counts AS (
  INSERT INTO public.scoring_chunk_counts (run_id, chunk_no) SELECT c.run_id, c.chunk_no FROM chunk c
)
INSERT INTO public.scoring_chunk_jobs (run_id, chunk_no, row_start, row_end, max_attempts)
SELECT c.run_id, c.chunk_no, c.row_start, c.row_end, c.max_attempts FROM chunk c ORDER BY c.chunk_no
