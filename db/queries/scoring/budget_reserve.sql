-- Reserves calls of run $1 that cost at most $2 each, as many of them from the first on as the budget has room for, for
-- $3 seconds. Says how many, and whether calls are under way that may give some of the budget back.
WITH now_left AS MATERIALIZED (
  SELECT b.run_id, b.max_calls - b.calls AS calls, b.max_cost - b.cost AS cost,
         b.reserved_calls > 0 AND b.reserved_until > clock_timestamp() AS may_come_back
  FROM public.scoring_budgets b WHERE b.run_id = $1::bigint FOR NO KEY UPDATE
), granted AS MATERIALIZED (
  SELECT w.n, w.total
  FROM (SELECT g.n, sum(g.cost) OVER (ORDER BY g.n) AS total
        FROM unnest($2::numeric[]) WITH ORDINALITY AS g (cost, n)) w, now_left l
  WHERE (l.calls IS NULL OR w.n <= l.calls) AND (l.cost IS NULL OR w.total <= l.cost)
), sums AS MATERIALIZED (
  SELECT count(*) AS calls, coalesce(max(g.total), 0) AS cost FROM granted g
), changed AS (
  UPDATE public.scoring_budgets b
  SET calls = b.calls + s.calls, cost = b.cost + s.cost, reserved_calls = b.reserved_calls + s.calls,
      reserved_until = greatest(b.reserved_until, clock_timestamp() + make_interval(secs => $3::float8))
  FROM now_left l, sums s WHERE b.run_id = l.run_id AND s.calls > 0
)
SELECT s.calls, s.calls > 0 OR coalesce((SELECT l.may_come_back FROM now_left l), false) FROM sums s
