-- The attached kinds. The name of a table that was dropped is empty.
SELECT k.id, k.kind,
       CASE WHEN c.oid IS NULL THEN '' ELSE format('%I.%I', n.nspname, c.relname) END AS job_table,
       k.cancelled_status, k.paused, k.retention::text, k.failed_retention::text
FROM rowrunner.kinds k
LEFT JOIN (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace) ON c.oid = k.job_table
ORDER BY k.kind
