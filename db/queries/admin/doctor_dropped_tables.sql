-- Kinds whose table is gone.
SELECT k.kind, 'its table was dropped', format('SELECT rowrunner.detach(%L), or rowrunner doctor --fix', k.kind)
FROM rowrunner.kinds k
WHERE NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = k.job_table)
ORDER BY k.kind
