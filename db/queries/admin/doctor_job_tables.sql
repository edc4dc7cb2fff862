-- What has changed about the table of kind $1 since it was attached: what attach would refuse now, and triggers that
-- are missing or disabled.
SELECT k.kind, p, 'see "What attach refuses" in docs/job-tables.md'
FROM rowrunner.kinds k
CROSS JOIN LATERAL (
  SELECT rowrunner.table_problems(k.job_table)
  UNION ALL SELECT format('column %s is missing', m.name) FROM rowrunner.missing_columns(k.job_table) m
  UNION ALL SELECT rowrunner.column_problems(k.job_table)
  UNION ALL SELECT rowrunner.value_problems(k.job_table)) problem (p)
WHERE k.kind = $1
UNION ALL
SELECT k.kind, format('trigger %s is %s: jobs may have no entry', name,
                      CASE WHEN t.oid IS NULL THEN 'missing' ELSE 'disabled' END),
       format('SELECT rowrunner.attach(%L, kind => %L)', k.job_table, k.kind)
FROM rowrunner.kinds k
CROSS JOIN unnest('{rowrunner_insert,rowrunner_update,rowrunner_delete,rowrunner_truncate}'::name[]
                  || CASE WHEN k.joins THEN '{rowrunner_parent_update,rowrunner_parent_delete}'::name[] END) name
LEFT JOIN pg_trigger t ON t.tgrelid = k.job_table AND t.tgname = name
WHERE k.kind = $1 AND (t.oid IS NULL OR t.tgenabled NOT IN ('O', 'A'))
