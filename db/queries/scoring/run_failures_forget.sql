-- Forgets what could not be scored of run $1. Answers the rows of it.
WITH gone AS (
  DELETE FROM public.scoring_failures f WHERE f.run_id = $1::bigint RETURNING f.row_index
)
SELECT coalesce(array_agg(DISTINCT g.row_index), '{}')::text FROM gone g
