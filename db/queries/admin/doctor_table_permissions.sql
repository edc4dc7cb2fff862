-- What the roles lack on the job table of kind $1.
WITH job_table AS (
  SELECT k.kind, c.oid, c.oid::regclass::text AS name, c.relnamespace
  FROM rowrunner.kinds k JOIN pg_class c ON c.oid = k.job_table WHERE k.kind = $1
)
SELECT t.kind, format('%s lacks %s on %s', w.role, string_agg(w.privilege, ', '), t.name), 'run: rowrunner migrate'
FROM job_table t CROSS JOIN rowrunner.job_table_permissions() w
WHERE to_regrole(w.role) IS NOT NULL
  AND NOT CASE WHEN w.columns IS NULL THEN has_table_privilege(w.role, t.oid, w.privilege)
               ELSE (SELECT bool_and(has_column_privilege(w.role, t.oid, a.attnum, w.privilege))
                     FROM pg_attribute a
                     WHERE a.attrelid = t.oid AND NOT a.attisdropped AND a.attname = ANY (w.columns)) END
GROUP BY t.kind, t.name, w.role
UNION ALL
SELECT t.kind, format('%s may not use the schema of %s', string_agg(r.rolname, ', ' ORDER BY r.rolname), t.name),
       format('GRANT USAGE ON SCHEMA %s TO %s', t.relnamespace::regnamespace,
              string_agg(quote_ident(r.rolname), ', ' ORDER BY r.rolname))
FROM job_table t
JOIN pg_roles r ON r.rolname IN ('rowrunner_app', 'rowrunner_worker', 'rowrunner_job_writer')
WHERE NOT has_schema_privilege(r.oid, t.relnamespace, 'USAGE')
GROUP BY t.kind, t.name, t.relnamespace
