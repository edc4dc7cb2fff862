-- The names of the attached kinds whose table is there, for messages.
SELECT kind FROM rowrunner.kinds k
WHERE EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) k.job_table)
ORDER BY kind
