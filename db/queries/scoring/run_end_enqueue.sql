-- The job that ends run $1 when its chunks have ended, however they did. Says for how many it waits.
WITH ending AS MATERIALIZED (
  INSERT INTO public.scoring_run_jobs (run_id, round)
  SELECT r.run_id, r.round FROM public.scoring_runs r WHERE r.run_id = $1::bigint
  RETURNING id
)
SELECT id FROM ending
