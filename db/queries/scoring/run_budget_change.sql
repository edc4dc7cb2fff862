-- Another budget for run $1: at most $2 calls and $3 of cost; NULL leaves it as it is.
UPDATE public.scoring_budgets
SET max_calls = coalesce($2::bigint, max_calls), max_cost = coalesce($3::numeric, max_cost)
WHERE run_id = $1::bigint
