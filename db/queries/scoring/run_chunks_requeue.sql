-- Queues the chunks of run $1 again that have failed, with new attempts. Says how many.
WITH ended AS MATERIALIZED (
  SELECT j.id FROM public.scoring_chunk_jobs j WHERE j.run_id = $1::bigint AND j.status = 'failed' ORDER BY j.chunk_no
)
SELECT count(*) FILTER (WHERE rowrunner.requeue('scoring_chunk', id)) FROM ended
