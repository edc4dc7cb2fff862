-- Queues the chunks of run $1 that have one of the rows $2, however they ended. Says how many.
WITH touched AS MATERIALIZED (
  SELECT j.id, j.chunk_no FROM public.scoring_chunk_jobs j
  WHERE j.run_id = $1::bigint
    AND EXISTS (SELECT FROM unnest($2::integer[]) r WHERE r BETWEEN j.row_start AND j.row_end)
  ORDER BY j.chunk_no
), counted AS (
  UPDATE public.scoring_chunk_counts c SET failed_blocks = 0, updated_at = now()
  FROM touched t WHERE c.run_id = $1::bigint AND c.chunk_no = t.chunk_no
)
SELECT count(*) FILTER (WHERE rowrunner.enqueue_again('scoring_chunk', id)) FROM touched
