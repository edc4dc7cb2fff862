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
SELECT k.kind, t.problem || ': jobs may have no entry', t.cure
FROM rowrunner.kinds k CROSS JOIN LATERAL rowrunner.trigger_problems(k) t
WHERE k.kind = $1
