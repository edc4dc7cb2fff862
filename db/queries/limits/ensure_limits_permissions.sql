-- The permissions of the shared limits, checked by every migrate. Workers plan, apps and servers read. No role may
-- change a plan or a block.
DO $$
DECLARE
  role text;
  what text;
BEGIN
  FOR role IN SELECT 'PUBLIC' UNION ALL
              SELECT quote_ident(r.rolname) FROM pg_roles r WHERE r.rolname LIKE 'rowrunner\_%' LOOP
    EXECUTE format('REVOKE ALL ON SCHEMA rowrunner_limits FROM %s', role);
    FOREACH what IN ARRAY ARRAY['TABLES', 'SEQUENCES', 'FUNCTIONS'] LOOP
      EXECUTE format('REVOKE ALL ON ALL %s IN SCHEMA rowrunner_limits FROM %s', what, role);
    END LOOP;
  END LOOP;
END
$$;
GRANT USAGE ON SCHEMA rowrunner_limits TO rowrunner_worker, rowrunner_app;
GRANT SELECT ON rowrunner_limits.members, rowrunner_limits.plans, rowrunner_limits.blocks TO rowrunner_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON rowrunner_limits.members TO rowrunner_worker;
GRANT SELECT, INSERT, DELETE ON rowrunner_limits.plans, rowrunner_limits.blocks TO rowrunner_worker;
GRANT EXECUTE ON FUNCTION rowrunner_limits.state(text) TO rowrunner_worker, rowrunner_app;
GRANT EXECUTE ON FUNCTION rowrunner_limits.propose(jsonb), rowrunner_limits.clean_up() TO rowrunner_worker
