-- Sent before statements that look through the queue, in their transaction: they must use its index
-- whatever the queue and the job table looked like when they were last analysed.
SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
       set_config('enable_sort', 'off', true), set_config('enable_material', 'off', true),
       set_config('jit', 'off', true)
