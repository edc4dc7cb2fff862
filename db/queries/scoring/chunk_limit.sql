-- An effect: the calls of chunk $2 of run $1 have the shared limit $3. With the first chunk that starts, the clock of the
-- first round begins: the time left is told by what was done while a worker was there.
WITH begun AS (
  UPDATE public.scoring_runs r SET round_began_at = clock_timestamp()
  WHERE r.run_id = $1::bigint AND r.round = 1
    AND NOT EXISTS (SELECT FROM public.scoring_chunk_counts c WHERE c.run_id = r.run_id AND c.limit_key IS NOT NULL)
)
UPDATE public.scoring_chunk_counts SET limit_key = $3 WHERE run_id = $1::bigint AND chunk_no = $2::integer
