-- The permissions of the HTTP server, checked by every migrate as those of the engine are. Neither applications nor
-- workers see tokens. The server reads them, and withdraws those of a user that an admin removes, but makes none: the
-- migrating role does.
REVOKE ALL ON SCHEMA rowrunner FROM rowrunner_server;
REVOKE ALL ON ALL TABLES IN SCHEMA rowrunner FROM rowrunner_server;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA rowrunner FROM rowrunner_server;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA rowrunner FROM rowrunner_server;
REVOKE ALL ON rowrunner.tokens, rowrunner.web_sessions, rowrunner.tickets, rowrunner.call_counts,
  rowrunner.operations
  FROM PUBLIC, rowrunner_engine, rowrunner_job_writer, rowrunner_worker, rowrunner_app;
GRANT USAGE ON SCHEMA rowrunner TO rowrunner_server;
GRANT SELECT ON rowrunner.schema_info, rowrunner.migrations, rowrunner.tokens TO rowrunner_server;
GRANT UPDATE (revoked_at) ON rowrunner.tokens TO rowrunner_server;
GRANT SELECT, INSERT, DELETE ON rowrunner.web_sessions, rowrunner.tickets TO rowrunner_server;
-- To lock a row for its removal needs the permission to change one of its columns.
GRANT UPDATE (expires_at) ON rowrunner.web_sessions, rowrunner.tickets TO rowrunner_server;
-- What it needs of jobs beside that is what rowrunner_app has.
GRANT UPDATE (paused) ON rowrunner.kinds TO rowrunner_server;
GRANT SELECT, INSERT, UPDATE ON rowrunner.call_counts, rowrunner.operations TO rowrunner_server
