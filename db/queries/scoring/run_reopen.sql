-- Run $1 goes on, in a new round.
UPDATE public.scoring_runs r
SET status = 'running', reason = NULL, round = round + 1, ended_at = NULL, updated_at = now(), round_began_at = now(),
    round_began_with = (SELECT coalesce(sum(c.processed_blocks + c.failed_blocks), 0)
                        FROM public.scoring_chunk_counts c WHERE c.run_id = r.run_id)
WHERE r.run_id = $1::bigint
