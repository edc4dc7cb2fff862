-- What belongs to a role that migrate does not trust: the schema, or a table, sequence or function in it. A role
-- that may create schemas could have prepared them before the first migrate, with triggers of its own. The migrating
-- role, superusers and the owner of the database are trusted. Membership does not count: the migrating role is
-- often a member of roles that own job tables.
WITH trusted AS MATERIALIZED (
  SELECT r.oid FROM pg_roles r
  WHERE r.rolname = current_user OR r.rolsuper
     OR r.oid = (SELECT d.datdba FROM pg_database d WHERE d.datname = current_database())
), owned AS (
  SELECT 1 AS n, 'schema rowrunner' AS what, s.nspowner AS owner FROM pg_namespace s WHERE s.nspname = 'rowrunner'
  UNION ALL
  SELECT 2, c.oid::regclass::text, c.relowner
  FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace WHERE s.nspname = 'rowrunner'
  UNION ALL
  SELECT 3, p.oid::regprocedure::text, p.proowner
  FROM pg_proc p JOIN pg_namespace s ON s.oid = p.pronamespace
  WHERE s.nspname = 'rowrunner'
    AND p.proowner NOT IN (SELECT r.oid FROM pg_roles r
                           WHERE r.rolname IN ('rowrunner_engine', 'rowrunner_job_writer', 'rowrunner_callers'))
)
SELECT o.what, quote_ident(pg_get_userbyid(o.owner)), quote_ident(current_user)
FROM owned o WHERE o.owner NOT IN (SELECT t.oid FROM trusted t) ORDER BY o.n, o.what LIMIT 1
