-- $4 calls of run $1 have ended. Gives back what was reserved for them and not used: $2 calls, $3 of cost.
UPDATE public.scoring_budgets
SET calls = calls - $2::bigint, cost = cost - $3::numeric, reserved_calls = greatest(reserved_calls - $4::bigint, 0)
WHERE run_id = $1::bigint
