-- Roles that are missing, owners of functions that can do more than own them, and what keeps the owner of the schema
-- from giving functions to them at the next migrate; see ensure_roles. The owners that a workload has beside the
-- engine's are known by their name.
WITH wanted (name, owns_functions) AS (
  VALUES ('rowrunner_engine', true), ('rowrunner_job_writer', true), ('rowrunner_worker', false),
         ('rowrunner_app', false)
  UNION
  SELECT 'rowrunner_server', false WHERE to_regclass('rowrunner.tokens') IS NOT NULL
  UNION
  SELECT r.rolname::text, true FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner
  WHERE p.prosecdef AND r.rolname LIKE 'rowrunner\_%'
), written AS (
  -- The tables that workers and applications write: job tables, and those of workloads.
  SELECT c.oid FROM pg_class c
  WHERE c.relkind IN ('r', 'p') AND c.relnamespace NOT IN ('pg_catalog'::regnamespace, 'rowrunner'::regnamespace)
    AND (EXISTS (SELECT FROM rowrunner.kinds k WHERE k.job_table = c.oid)
         OR EXISTS (SELECT FROM pg_roles r WHERE r.rolname IN ('rowrunner_worker', 'rowrunner_app')
                    AND has_table_privilege(r.oid, c.oid, 'INSERT, UPDATE, DELETE')))
)
SELECT NULL::text, format('role %s is missing', w.name), 'run: rowrunner migrate'
FROM wanted w WHERE to_regrole(w.name) IS NULL
UNION ALL
SELECT NULL, format('role %s can log in, has attributes or is a member of another role', w.name),
       format('ALTER ROLE %I NOLOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB NOREPLICATION NOBYPASSRLS,'
              ' and revoke its memberships', w.name)
FROM wanted w JOIN pg_roles r ON r.rolname = w.name
WHERE w.owns_functions
  AND (r.rolcanlogin OR r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication OR r.rolbypassrls
       OR EXISTS (SELECT FROM pg_auth_members m WHERE m.member = r.oid))
UNION ALL
SELECT NULL, format('%I owns the schema rowrunner and is not a member of %I: it cannot migrate', o.rolname, w.name),
       format('GRANT %I TO %I', w.name, o.rolname)
FROM wanted w
JOIN pg_roles r ON r.rolname = w.name
JOIN pg_namespace s ON s.nspname = 'rowrunner'
JOIN pg_roles o ON o.oid = s.nspowner
WHERE w.owns_functions AND NOT pg_has_role(o.oid, r.oid, 'USAGE')
UNION ALL
-- A restore without the owner of a workload's functions leaves them to the restoring role.
SELECT NULL, format('triggers of %s run %s as the superuser %I', string_agg(DISTINCT t.tgrelid::regclass::text, ', '),
                    p.oid::regprocedure, o.rolname),
       format('run: rowrunner migrate; if the function is your own: ALTER FUNCTION %s OWNER TO a role that may do'
              ' only what it needs', p.oid::regprocedure)
FROM written w
JOIN pg_trigger t ON t.tgrelid = w.oid
JOIN pg_proc p ON p.oid = t.tgfoid AND p.prosecdef AND p.pronamespace <> 'rowrunner'::regnamespace
JOIN pg_roles o ON o.oid = p.proowner AND o.rolsuper
GROUP BY p.oid, o.rolname
