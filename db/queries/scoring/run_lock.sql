-- The run named $1, locked so that it is resumed once.
SELECT r.run_id, r.status, (SELECT count(*) FROM public.scoring_failures f WHERE f.run_id = r.run_id)
FROM public.scoring_runs r WHERE r.name = $1 FOR NO KEY UPDATE
