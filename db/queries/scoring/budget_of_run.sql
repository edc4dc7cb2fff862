-- The budget of run $1; no row if it has no limit.
SELECT b.max_calls, b.max_cost FROM public.scoring_budgets b
WHERE b.run_id = $1::bigint AND (b.max_calls IS NOT NULL OR b.max_cost IS NOT NULL)
