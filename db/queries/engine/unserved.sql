-- Why this role cannot serve kind $1, and what to do about it; NULL if it can. Permissions on single columns may be
-- enough, so only what no claim can do without is asked for.
SELECT CASE
         WHEN c.oid IS NULL THEN
           format('the table of kind %s (OID %s) was dropped: SELECT rowrunner.detach(%L)',
                  k.kind, k.job_table::oid, k.kind)
         WHEN NOT has_schema_privilege(n.oid, 'USAGE') THEN
           format('%I may not use the schema of the table %I.%I of kind %s: GRANT %s TO %I', current_user,
                  n.nspname, c.relname, k.kind,
                  CASE WHEN r.worker THEN format('USAGE ON SCHEMA %I', n.nspname) ELSE 'rowrunner_worker' END,
                  CASE WHEN r.worker THEN 'rowrunner_worker' ELSE current_user END)
         WHEN NOT (has_any_column_privilege(c.oid, 'SELECT') AND has_any_column_privilege(c.oid, 'UPDATE')) THEN
           format('%I may not read and update the table %I.%I of kind %s: GRANT %s TO %I', current_user,
                  n.nspname, c.relname, k.kind,
                  CASE WHEN r.worker THEN format('SELECT, UPDATE, DELETE ON %I.%I', n.nspname, c.relname)
                       ELSE 'rowrunner_worker' END,
                  CASE WHEN r.worker THEN 'rowrunner_worker' ELSE current_user END)
       END AS reason
FROM rowrunner.kinds k
LEFT JOIN (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace) ON c.oid = k.job_table
CROSS JOIN (SELECT coalesce(pg_has_role(to_regrole('rowrunner_worker'), 'USAGE'), false) AS worker) r
WHERE k.id = $1::smallint
