-- Job tables that leave no room for the next version of a row.
SELECT k.kind, format('%s has a fillfactor of %s: a change of a job leaves its page and writes into every index',
                      k.job_table, f.value),
       format('ALTER TABLE %s SET (fillfactor = 25); it holds for new pages', k.job_table)
FROM rowrunner.kinds k
JOIN pg_class c ON c.oid = k.job_table
CROSS JOIN LATERAL (
  SELECT coalesce((SELECT o.option_value::integer FROM pg_options_to_table(c.reloptions) o
                   WHERE o.option_name = 'fillfactor'), 100)) f (value)
WHERE f.value > 50
ORDER BY k.kind
