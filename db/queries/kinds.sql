-- The attached kinds. A kind whose table was dropped is not among them.
SELECT k.id, k.kind, format('%I.%I', n.nspname, c.relname) AS job_table, k.cancelled_status,
       k.paused, k.retention::text
FROM rowrunner.kinds k
JOIN pg_class c ON c.oid = k.job_table JOIN pg_namespace n ON n.oid = c.relnamespace
ORDER BY k.kind
