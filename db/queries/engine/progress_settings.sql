-- Sent before progress, in its transaction: what a crash of the server takes back is written with the end of the job,
-- so it need not wait for the disk, and it never waits for a lock.
SELECT set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '50ms', true),
       set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true),
       set_config('plan_cache_mode', 'force_generic_plan', true)
