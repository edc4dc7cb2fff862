-- How far run $1 is, and what its calls wait for. time_running and round_seconds are in seconds.
WITH counted AS MATERIALIZED (
  SELECT r.run_id,
         (SELECT max(c.limit_key) FROM public.scoring_chunk_counts c WHERE c.run_id = r.run_id) AS limit_key
  FROM public.scoring_runs r WHERE r.name = $1
)
SELECT r.name, r.status, r.reason, r.provider, r.model, r.row_count, r.block_count,
       coalesce(sum(c.processed_rows), 0) AS processed_rows, coalesce(sum(c.processed_blocks), 0) AS processed_blocks,
       coalesce(sum(c.failed_blocks), 0) AS failed_blocks, coalesce(sum(c.cache_hits), 0) AS cache_hits,
       coalesce(sum(c.calls), 0) AS calls, coalesce(sum(c.cost), 0) AS cost,
       coalesce(sum(c.write_seconds), 0) AS write_seconds, coalesce(sum(c.flushes), 0) AS flushes,
       extract(epoch FROM coalesce(r.ended_at, now()) - r.created_at) AS time_running,
       to_char(r.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS created_at,
       to_char(r.ended_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS ended_at, count(c.chunk_no) AS chunks,
       (SELECT s.status FROM public.scoring_sheet_jobs s WHERE s.run_id = r.run_id) AS sheet_status,
       (SELECT s.last_error FROM public.scoring_sheet_jobs s WHERE s.run_id = r.run_id) AS sheet_error,
       extract(epoch FROM coalesce(r.ended_at, now()) - r.round_began_at) AS round_seconds, r.round_began_with,
       b.max_calls, b.max_cost, k.limit_key, l.rate, l.waits_for
FROM counted k JOIN public.scoring_runs r ON r.run_id = k.run_id
LEFT JOIN LATERAL rowrunner_limits.state(k.limit_key) l ON r.status = 'running' AND k.limit_key IS NOT NULL
LEFT JOIN public.scoring_chunk_counts c ON c.run_id = r.run_id
LEFT JOIN public.scoring_budgets b ON b.run_id = r.run_id
GROUP BY r.run_id, b.run_id, k.limit_key, l.rate, l.waits_for
