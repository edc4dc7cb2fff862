-- Lets the job $2 that ends run $1 wait for the chunks.
SELECT rowrunner.run_after('scoring_run', $2::uuid, 'scoring_chunk',
                           ARRAY(SELECT c.id FROM public.scoring_chunk_jobs c WHERE c.run_id = $1::bigint), 'run')
