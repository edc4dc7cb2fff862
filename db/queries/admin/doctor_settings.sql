-- Before each check of rowrunner doctor: a check writes nothing, so code in the indexes of a job table can leave
-- nothing behind that would run as the role which asks; and it neither waits long nor runs long. Compiling a query
-- over the catalogs takes longer than running it.
SELECT set_config('transaction_read_only', 'on', true), set_config('lock_timeout', '2s', true),
       set_config('statement_timeout', '20s', true), set_config('TimeZone', 'UTC', true),
       set_config('jit', 'off', true)
