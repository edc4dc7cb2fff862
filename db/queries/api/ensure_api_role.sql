-- The role of the HTTP server. It belongs to the whole cluster, so another database may have made it already, or be
-- making it now.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'rowrunner_server') THEN RETURN; END IF;
  CREATE ROLE rowrunner_server NOLOGIN;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'role rowrunner_server is missing and % may not create it', current_user
      USING HINT = 'Let an administrator run: CREATE ROLE rowrunner_server NOLOGIN';
END
$$
