-- The permissions of the HTTP server, checked by every migrate as those of the engine are. Neither applications nor
-- workers see tokens, nor does the server: it calls functions that want a proof, since code of the owners of job tables
-- runs as the server's login, too. Tokens are made by the migrating role.
REVOKE ALL ON SCHEMA rowrunner FROM rowrunner_server, rowrunner_callers;
REVOKE ALL ON ALL TABLES IN SCHEMA rowrunner FROM rowrunner_server, rowrunner_callers;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA rowrunner FROM rowrunner_server, rowrunner_callers;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA rowrunner FROM rowrunner_server;
-- A function can be given only to a role that may create one in its schema.
GRANT USAGE, CREATE ON SCHEMA rowrunner TO rowrunner_callers;
ALTER FUNCTION rowrunner.same_hash(bytea, bytea) OWNER TO rowrunner_callers;
ALTER FUNCTION rowrunner.caller(text, bigint, bytea) OWNER TO rowrunner_callers;
ALTER FUNCTION rowrunner.add_web_session(text, bigint, bytea, bytea, integer) OWNER TO rowrunner_callers;
ALTER FUNCTION rowrunner.add_ticket(text, bigint, bytea, bytea, integer) OWNER TO rowrunner_callers;
ALTER FUNCTION rowrunner.end_web_session(text, bigint, bytea) OWNER TO rowrunner_callers;
ALTER FUNCTION rowrunner.remove_user(text, bigint, bytea, text) OWNER TO rowrunner_callers;
ALTER FUNCTION rowrunner.count_call(text, text, integer) OWNER TO rowrunner_callers;
ALTER FUNCTION rowrunner.has_tokens() OWNER TO rowrunner_callers;
REVOKE CREATE ON SCHEMA rowrunner FROM rowrunner_callers;
REVOKE ALL ON rowrunner.tokens, rowrunner.web_sessions, rowrunner.tickets, rowrunner.call_counts,
  rowrunner.operations
  FROM PUBLIC, rowrunner_engine, rowrunner_job_writer, rowrunner_worker, rowrunner_app;
REVOKE ALL ON FUNCTION rowrunner.same_hash(bytea, bytea), rowrunner.caller(text, bigint, bytea),
  rowrunner.add_web_session(text, bigint, bytea, bytea, integer),
  rowrunner.add_ticket(text, bigint, bytea, bytea, integer), rowrunner.end_web_session(text, bigint, bytea),
  rowrunner.remove_user(text, bigint, bytea, text), rowrunner.count_call(text, text, integer),
  rowrunner.has_tokens()
  FROM PUBLIC, rowrunner_engine, rowrunner_job_writer, rowrunner_worker, rowrunner_app;

GRANT SELECT ON rowrunner.tokens, rowrunner.web_sessions, rowrunner.tickets, rowrunner.call_counts
  TO rowrunner_callers;
GRANT INSERT, DELETE ON rowrunner.web_sessions, rowrunner.tickets TO rowrunner_callers;
GRANT INSERT, UPDATE ON rowrunner.call_counts TO rowrunner_callers;
GRANT UPDATE (revoked_at) ON rowrunner.tokens TO rowrunner_callers;
-- To lock a row for its removal needs the permission to change one of its columns.
GRANT UPDATE (expires_at) ON rowrunner.web_sessions, rowrunner.tickets TO rowrunner_callers;

GRANT USAGE ON SCHEMA rowrunner TO rowrunner_server;
GRANT SELECT ON rowrunner.schema_info, rowrunner.migrations TO rowrunner_server;
GRANT EXECUTE ON FUNCTION rowrunner.caller(text, bigint, bytea),
  rowrunner.add_web_session(text, bigint, bytea, bytea, integer),
  rowrunner.add_ticket(text, bigint, bytea, bytea, integer), rowrunner.end_web_session(text, bigint, bytea),
  rowrunner.remove_user(text, bigint, bytea, text), rowrunner.count_call(text, text, integer),
  rowrunner.has_tokens() TO rowrunner_server;
-- What it needs of jobs beside that is what rowrunner_app has.
GRANT UPDATE (paused) ON rowrunner.kinds TO rowrunner_server;
GRANT SELECT, INSERT, UPDATE ON rowrunner.operations TO rowrunner_server
