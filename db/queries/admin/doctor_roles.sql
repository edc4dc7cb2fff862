-- Roles that are missing, owners of functions that can do more than own them, and what keeps the owner of the schema
-- from giving functions to them at the next migrate; see ensure_roles.
WITH wanted (name, owns_functions) AS (
  VALUES ('rowrunner_engine', true), ('rowrunner_job_writer', true), ('rowrunner_worker', false),
         ('rowrunner_app', false)
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
