-- What was done with each model, over all runs that there are.
SELECT r.provider, r.model, sum(c.processed_blocks), sum(c.failed_blocks), sum(c.cache_hits), sum(c.calls), sum(c.cost),
       sum(c.call_seconds), sum(c.flushes), sum(c.write_seconds)
FROM public.scoring_chunk_counts c JOIN public.scoring_runs r ON r.run_id = c.run_id
GROUP BY r.provider, r.model ORDER BY r.provider, r.model
