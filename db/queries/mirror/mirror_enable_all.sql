-- Mirrors every kind that has a public id: migrate runs it where a Redis is configured, after the tables of all workloads.
SELECT rowrunner_mirror.enable(k.kind)
FROM rowrunner.kinds k JOIN pg_class c ON c.oid = k.job_table
WHERE k.public_id_column IS NOT NULL AND pg_has_role(c.relowner, 'USAGE')
ORDER BY k.kind
