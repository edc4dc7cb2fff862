-- Calls of run $1 are still under way, for $2 more seconds.
UPDATE public.scoring_budgets
SET reserved_until = greatest(reserved_until, clock_timestamp() + make_interval(secs => $2::float8))
WHERE run_id = $1::bigint AND reserved_calls > 0
