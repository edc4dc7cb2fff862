-- An effect, after the scores of a flush: counts what chunk $2 of run $1 has done. $3 the rows of the flush, $4 scored
-- blocks, $5 blocks that failed, $6 hits of the cache, $7 calls, $8 their cost, $9 seconds that the write before took,
-- $10 seconds that calls took.
-- A row of this flush that has all its scores now got the last of them in this flush, so it is counted once.
UPDATE public.scoring_chunk_counts c
SET flushes = c.flushes + 1, processed_blocks = c.processed_blocks + $4::integer,
    failed_blocks = c.failed_blocks + $5::integer, cache_hits = c.cache_hits + $6::integer,
    calls = c.calls + $7::integer, cost = c.cost + $8::numeric, write_seconds = c.write_seconds + $9::float8,
    call_seconds = c.call_seconds + $10::float8,
    updated_at = now(),
    processed_rows = c.processed_rows + (
      SELECT count(*) FROM (
        SELECT s.row_index FROM public.scoring_scores s
        WHERE s.run_id = c.run_id AND s.row_index = ANY ($3::integer[])
        GROUP BY s.row_index
        HAVING count(*) = (SELECT r.block_count FROM public.scoring_runs r WHERE r.run_id = c.run_id)) whole)
WHERE c.run_id = $1::bigint AND c.chunk_no = $2::integer
