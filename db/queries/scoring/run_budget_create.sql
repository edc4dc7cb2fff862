-- The budget of run $1: at most $2 calls and $3 of cost; NULL is no limit.
INSERT INTO public.scoring_budgets (run_id, max_calls, max_cost) VALUES ($1::bigint, $2::bigint, $3::numeric)
