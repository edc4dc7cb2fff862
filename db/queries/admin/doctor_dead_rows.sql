-- Tables of the engine and job tables with many dead rows and no vacuum for ten minutes, and where autovacuum is off.
-- Between two vacuums a busy queue has many dead rows, and that is as it should be.
SELECT NULL::text, 'autovacuum is off', 'ALTER SYSTEM SET autovacuum = on; SELECT pg_reload_conf()'
WHERE NOT current_setting('autovacuum')::boolean
UNION ALL
SELECT k.kind, format('autovacuum is off for %s', s.relid::regclass),
       format('ALTER TABLE %s RESET (autovacuum_enabled)', s.relid::regclass)
FROM pg_stat_all_tables s
JOIN pg_class c ON c.oid = s.relid
CROSS JOIN LATERAL pg_options_to_table(c.reloptions) o
LEFT JOIN rowrunner.kinds k ON k.job_table = s.relid
WHERE (k.id IS NOT NULL OR s.schemaname = 'rowrunner')
  AND o.option_name = 'autovacuum_enabled' AND NOT o.option_value::boolean
UNION ALL
SELECT k.kind, format('%s has %s dead rows beside %s live ones, and was last vacuumed %s', s.relid::regclass,
                      s.n_dead_tup, s.n_live_tup,
                      coalesce('at ' || to_char(v.at, 'YYYY-MM-DD HH24:MI "UTC"'), 'never')),
       format('VACUUM %s; if the rows stay, see vacuum blockers', s.relid::regclass)
FROM pg_stat_all_tables s
LEFT JOIN rowrunner.kinds k ON k.job_table = s.relid
CROSS JOIN LATERAL (SELECT greatest(s.last_vacuum, s.last_autovacuum)) v (at)
WHERE (k.id IS NOT NULL OR s.schemaname = 'rowrunner')
  AND s.n_dead_tup > 10000 AND s.n_dead_tup > s.n_live_tup / 2
  AND coalesce(v.at, '-infinity') < now() - interval '10 minutes'
