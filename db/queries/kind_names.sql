-- The names of the attached kinds whose table is there, for messages.
SELECT kind FROM rowrunner.kinds k WHERE EXISTS (SELECT FROM pg_class c WHERE c.oid = k.job_table)
ORDER BY kind
