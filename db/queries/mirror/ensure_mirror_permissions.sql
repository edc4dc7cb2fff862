-- The permissions of the mirror, checked by every migrate as those of the engine are. It runs in workers and servers.
-- Its trigger runs as rowrunner_mirror, which has permissions here only.
DO $$
DECLARE
  role text;
  what text;
BEGIN
  FOR role IN SELECT 'PUBLIC' UNION ALL
              SELECT quote_ident(r.rolname) FROM pg_roles r WHERE r.rolname LIKE 'rowrunner\_%' LOOP
    EXECUTE format('REVOKE ALL ON SCHEMA rowrunner_mirror FROM %s', role);
    FOREACH what IN ARRAY ARRAY['TABLES', 'SEQUENCES', 'FUNCTIONS'] LOOP
      -- The owner of a function keeps it.
      CONTINUE WHEN what = 'FUNCTIONS' AND role = 'rowrunner_mirror';
      EXECUTE format('REVOKE ALL ON ALL %s IN SCHEMA rowrunner_mirror FROM %s', what, role);
    END LOOP;
  END LOOP;
END
$$;
GRANT USAGE, CREATE ON SCHEMA rowrunner_mirror TO rowrunner_mirror;
ALTER FUNCTION rowrunner_mirror.note_changes() OWNER TO rowrunner_mirror;
ALTER FUNCTION rowrunner_mirror.note_changes() SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
REVOKE CREATE ON SCHEMA rowrunner_mirror FROM rowrunner_mirror;
GRANT SELECT ON rowrunner_mirror.kinds TO rowrunner_mirror;
GRANT INSERT ON rowrunner_mirror.changes TO rowrunner_mirror;
GRANT USAGE ON SCHEMA rowrunner_mirror TO rowrunner_worker, rowrunner_server;
GRANT SELECT, DELETE ON rowrunner_mirror.changes TO rowrunner_worker, rowrunner_server;
GRANT SELECT, UPDATE (noted_until, epoch) ON rowrunner_mirror.kinds TO rowrunner_worker, rowrunner_server;
GRANT SELECT, UPDATE (holder, held_until) ON rowrunner_mirror.holder TO rowrunner_worker, rowrunner_server
