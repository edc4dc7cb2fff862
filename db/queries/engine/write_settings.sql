-- Sent before every write of a worker but the claim: durable even where the role's default is not, by
-- index, and bounded in its waiting. Answers which server it is, by the time of its start.
SELECT (EXTRACT(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint,
       set_config('synchronous_commit',
                  CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
                       ELSE current_setting('synchronous_commit') END, true),
       set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true),
       set_config('plan_cache_mode', 'force_generic_plan', true),
       set_config('lock_timeout', '1s', true)
