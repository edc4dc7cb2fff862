-- Sent before every claim, in its transaction. A claim that is lost in a crash is only a claim that
-- did not happen, so it need not wait for the disk. A wait for a row that another session has locked
-- holds up the whole queue, so it is short. A row that a policy hides would look like one that was
-- deleted, so policies are an error. The plan must be the index scan whatever the table
-- looked like when it was last analysed. The last column is the time, in microseconds since 2000 as timestamps travel
-- in binary: what each claimed job waited is told from it.
SELECT set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '100ms', true),
       set_config('row_security', 'off', true),
       set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true), set_config('enable_sort', 'off', true),
       set_config('jit', 'off', true),
       set_config('plan_cache_mode', 'force_generic_plan', true),
       ((extract(epoch FROM clock_timestamp()) - 946684800) * 1000000)::bigint AS begun_at
