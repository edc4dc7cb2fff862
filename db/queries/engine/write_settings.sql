-- Sent before ends (and reread), steps and reads of steps, retention, and the release of a claim that was not answered
-- in time, in their transaction: durable even where the role's default is not, by index, and bounded in its waiting.
-- Claims and progress have settings of their own (claim_settings, progress_settings). Answers which server it is, by
-- the time of its start. An effect shares the session and may have SET its search_path: so names have their schema
-- here, and search_path is set for the statements that follow.
SELECT (EXTRACT(epoch FROM pg_catalog.pg_postmaster_start_time()) OPERATOR(pg_catalog.*) 1000000)::bigint,
       pg_catalog.set_config('synchronous_commit',
                             CASE WHEN pg_catalog.current_setting('synchronous_commit') OPERATOR(pg_catalog.=) 'off'
                                  THEN 'on' ELSE pg_catalog.current_setting('synchronous_commit') END, true),
       pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),
       pg_catalog.set_config('enable_seqscan', 'off', true), pg_catalog.set_config('enable_hashjoin', 'off', true),
       pg_catalog.set_config('enable_mergejoin', 'off', true), pg_catalog.set_config('jit', 'off', true),
       pg_catalog.set_config('plan_cache_mode', 'force_generic_plan', true),
       pg_catalog.set_config('lock_timeout', '1s', true)
