-- Everything that reads or writes rows of job tables for callers that may not, or should not do it themselves.
-- Triggers, and code in indexes and constraints, that a table's owner wrote run as the owner of these functions,
-- rowrunner_job_writer. So that role may do nothing else: it has a few columns of job tables, nothing in the
-- schema rowrunner, and no USAGE on it, without which it cannot name, alter or move what it owns. DROP OWNED
-- fails since its permissions are on columns. Every migrate makes these functions anew all the same.
-- Each checks first as which role it runs: after a restore without roles it belongs to the role that restored.
-- And last what that code has left to its callers, other roles with more permissions: a SET of search_path outlasts the
-- SET of the function, so that they would find its operators; a cursor WITH HOLD is run by the role that commits.

-- Queues a job that has one of these statuses, with new attempts. Says whether there was one.
CREATE OR REPLACE FUNCTION rowrunner.requeue_row(job_table regclass, job_id uuid, was text[], at timestamptz)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  n integer;
BEGIN
  IF current_user <> 'rowrunner_job_writer' THEN
    RAISE EXCEPTION 'a function of the engine runs as %, not as rowrunner_job_writer', current_user
      USING ERRCODE = 'insufficient_privilege', HINT = 'Run ''rowrunner migrate''.';
  END IF;
  EXECUTE format('UPDATE %s SET status = ''queued'', attempts = 0, run_at = coalesce($3, now()),'
                 ' updated_at = now(), lease = NULL, locked_at = NULL, locked_by = NULL'
                 ' WHERE id = $1 AND status = ANY ($2)', job_table) USING job_id, was, at;
  GET DIAGNOSTICS n = ROW_COUNT;
  IF pg_catalog.current_setting('search_path') OPERATOR(pg_catalog.<>) 'pg_catalog, pg_temp' OR EXISTS (
       SELECT FROM pg_catalog.pg_cursors c WHERE c.is_holdable
         AND c.creation_time OPERATOR(pg_catalog.>=) pg_catalog.statement_timestamp()) THEN
    RAISE EXCEPTION 'a trigger or index of % set search_path or left a cursor', job_table USING ERRCODE = 'RR005';
  END IF;
  RETURN n = 1;
END
$$;

-- Ends a job that waits, and touches the row of one that runs: an end of it in a transaction with an older
-- snapshot (REPEATABLE READ) does not see the request to cancel. It meets a changed row instead, fails to
-- serialize, and is tried again. A job that was held is so no longer: it would stay so if its status were set to queued
-- again by hand. Answers what the row was.
CREATE OR REPLACE FUNCTION rowrunner.cancel_row(job_table regclass, job_id uuid, new_status text, reason text,
                                                OUT found_status text, OUT found_lease bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  ended boolean;
BEGIN
  IF current_user <> 'rowrunner_job_writer' THEN
    RAISE EXCEPTION 'a function of the engine runs as %, not as rowrunner_job_writer', current_user
      USING ERRCODE = 'insufficient_privilege', HINT = 'Run ''rowrunner migrate''.';
  END IF;
  EXECUTE format('SELECT status, lease FROM %s WHERE id = $1 FOR UPDATE', job_table)
    INTO found_status, found_lease USING job_id;
  IF found_status = 'queued' THEN
    EXECUTE format('UPDATE %s SET status = $2, last_error = $3, updated_at = now(),'
                   ' run_at = CASE run_at WHEN ''infinity'' THEN now() ELSE run_at END WHERE id = $1'
                   ' RETURNING status <> ''queued''', job_table) INTO ended USING job_id, new_status, reason;
    IF ended IS NOT TRUE THEN
      RAISE EXCEPTION 'the UPDATE that cancels job % left it queued: does a trigger suppress or change it?', job_id
        USING ERRCODE = 'RR004';
    END IF;
  ELSIF found_status = 'processing' THEN
    EXECUTE format('UPDATE %s SET updated_at = now() WHERE id = $1', job_table) USING job_id;
  END IF;
  IF pg_catalog.current_setting('search_path') OPERATOR(pg_catalog.<>) 'pg_catalog, pg_temp' OR EXISTS (
       SELECT FROM pg_catalog.pg_cursors c WHERE c.is_holdable
         AND c.creation_time OPERATOR(pg_catalog.>=) pg_catalog.statement_timestamp()) THEN
    RAISE EXCEPTION 'a trigger or index of % set search_path or left a cursor', job_table USING ERRCODE = 'RR005';
  END IF;
END
$$;

-- Ends a job whose cancel was requested before it was queued again.
CREATE OR REPLACE FUNCTION rowrunner.end_cancelled_row(job_table regclass, job_id uuid, new_status text,
                                                       reason text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  ended boolean;
BEGIN
  IF current_user <> 'rowrunner_job_writer' THEN
    RAISE EXCEPTION 'a function of the engine runs as %, not as rowrunner_job_writer', current_user
      USING ERRCODE = 'insufficient_privilege', HINT = 'Run ''rowrunner migrate''.';
  END IF;
  EXECUTE format('UPDATE %s SET status = $2, last_error = $3, lease = NULL, locked_at = NULL, locked_by = NULL'
                 ' WHERE id = $1 RETURNING status <> ''queued''', job_table)
    INTO ended USING job_id, new_status, reason;
  IF ended IS NOT TRUE THEN
    RAISE EXCEPTION 'the UPDATE that cancels job % left it queued: does a trigger suppress or change it?', job_id
      USING ERRCODE = 'RR004';
  END IF;
  IF pg_catalog.current_setting('search_path') OPERATOR(pg_catalog.<>) 'pg_catalog, pg_temp' OR EXISTS (
       SELECT FROM pg_catalog.pg_cursors c WHERE c.is_holdable
         AND c.creation_time OPERATOR(pg_catalog.>=) pg_catalog.statement_timestamp()) THEN
    RAISE EXCEPTION 'a trigger or index of % set search_path or left a cursor', job_table USING ERRCODE = 'RR005';
  END IF;
END
$$;

-- Takes the lease of a queued job away, and gives it new attempts if they are spent.
CREATE OR REPLACE FUNCTION rowrunner.clear_lease_of_row(job_table regclass, job_id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF current_user <> 'rowrunner_job_writer' THEN
    RAISE EXCEPTION 'a function of the engine runs as %, not as rowrunner_job_writer', current_user
      USING ERRCODE = 'insufficient_privilege', HINT = 'Run ''rowrunner migrate''.';
  END IF;
  EXECUTE format('UPDATE %s SET lease = NULL, locked_at = NULL, locked_by = NULL, updated_at = now(),'
                 ' attempts = CASE WHEN attempts >= max_attempts THEN 0 ELSE attempts END'
                 ' WHERE id = $1', job_table) USING job_id;
  IF pg_catalog.current_setting('search_path') OPERATOR(pg_catalog.<>) 'pg_catalog, pg_temp' OR EXISTS (
       SELECT FROM pg_catalog.pg_cursors c WHERE c.is_holdable
         AND c.creation_time OPERATOR(pg_catalog.>=) pg_catalog.statement_timestamp()) THEN
    RAISE EXCEPTION 'a trigger or index of % set search_path or left a cursor', job_table USING ERRCODE = 'RR005';
  END IF;
END
$$;

-- The jobs of a table that have an entry of some kind, on `percent` of its pages. Not volatile, so that it reads in
-- the snapshot of the statement that calls it.
CREATE OR REPLACE FUNCTION rowrunner.unended_jobs(job_table regclass, percent real)
RETURNS TABLE (id uuid, status text, priority smallint, run_at timestamptz, created_at timestamptz,
               updated_at timestamptz, attempts integer, last_error text, lease bigint, locked_by text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
SET row_security = off AS $$
BEGIN
  IF current_user <> 'rowrunner_job_writer' THEN
    RAISE EXCEPTION 'a function of the engine runs as %, not as rowrunner_job_writer', current_user
      USING ERRCODE = 'insufficient_privilege', HINT = 'Run ''rowrunner migrate''.';
  END IF;
  RETURN QUERY EXECUTE format(
    'SELECT j.id, j.status, j.priority, j.run_at, j.created_at, j.updated_at, j.attempts, j.last_error, j.lease,'
    ' j.locked_by FROM %s j %s WHERE j.status IN (''queued'', ''processing'', ''failed'')', job_table,
    CASE WHEN percent < 100 THEN format('TABLESAMPLE SYSTEM (%s)', percent) ELSE '' END);
  IF pg_catalog.current_setting('search_path') OPERATOR(pg_catalog.<>) 'pg_catalog, pg_temp' OR EXISTS (
       SELECT FROM pg_catalog.pg_cursors c WHERE c.is_holdable
         AND c.creation_time OPERATOR(pg_catalog.>=) pg_catalog.statement_timestamp()) THEN
    RAISE EXCEPTION 'a trigger or index of % set search_path or left a cursor', job_table USING ERRCODE = 'RR005';
  END IF;
END
$$;

-- Those of the named jobs that exist, found by their key.
CREATE OR REPLACE FUNCTION rowrunner.jobs_among(job_table regclass, ids uuid[])
RETURNS TABLE (id uuid, status text, priority smallint, run_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
SET row_security = off SET enable_seqscan = off AS $$
BEGIN
  IF current_user <> 'rowrunner_job_writer' THEN
    RAISE EXCEPTION 'a function of the engine runs as %, not as rowrunner_job_writer', current_user
      USING ERRCODE = 'insufficient_privilege', HINT = 'Run ''rowrunner migrate''.';
  END IF;
  RETURN QUERY EXECUTE format('SELECT j.id, j.status, j.priority, j.run_at FROM %s j WHERE j.id = ANY ($1)',
                              job_table) USING ids;
  IF pg_catalog.current_setting('search_path') OPERATOR(pg_catalog.<>) 'pg_catalog, pg_temp' OR EXISTS (
       SELECT FROM pg_catalog.pg_cursors c WHERE c.is_holdable
         AND c.creation_time OPERATOR(pg_catalog.>=) pg_catalog.statement_timestamp()) THEN
    RAISE EXCEPTION 'a trigger or index of % set search_path or left a cursor', job_table USING ERRCODE = 'RR005';
  END IF;
END
$$;

-- The job that is to wait for others, locked, and whether this transaction has written it: then no other can have
-- claimed it. A subtransaction has a greater number than its transaction, and of all rows that can be seen only
-- those of this transaction come from one that is in progress.
CREATE OR REPLACE FUNCTION rowrunner.child_row(job_table regclass, job_id uuid, OUT found_status text,
                                               OUT found_run_at timestamptz, OUT written_here boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET row_security = off AS $$
DECLARE
  own CONSTANT bigint := pg_current_xact_id()::text::bigint;
  writer bigint;
BEGIN
  IF current_user <> 'rowrunner_job_writer' THEN
    RAISE EXCEPTION 'a function of the engine runs as %, not as rowrunner_job_writer', current_user
      USING ERRCODE = 'insufficient_privilege', HINT = 'Run ''rowrunner migrate''.';
  END IF;
  EXECUTE format('SELECT j.status, j.run_at, j.xmin::text::bigint FROM %s j WHERE j.id = $1 FOR NO KEY UPDATE',
                 job_table) INTO found_status, found_run_at, writer USING job_id;
  -- A row has the lower 32 bits only.
  writer := own + ((writer - own) % 4294967296 + 6442450944) % 4294967296 - 2147483648;
  written_here := writer = own OR (writer > own AND pg_xact_status(writer::text::xid8) = 'in progress');
  IF pg_catalog.current_setting('search_path') OPERATOR(pg_catalog.<>) 'pg_catalog, pg_temp' OR EXISTS (
       SELECT FROM pg_catalog.pg_cursors c WHERE c.is_holdable
         AND c.creation_time OPERATOR(pg_catalog.>=) pg_catalog.statement_timestamp()) THEN
    RAISE EXCEPTION 'a trigger or index of % set search_path or left a cursor', job_table USING ERRCODE = 'RR005';
  END IF;
END
$$;

-- Holds a queued job: while run_at is 'infinity' no claim takes it.
CREATE OR REPLACE FUNCTION rowrunner.hold_row(job_table regclass, job_id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET row_security = off AS $$
DECLARE
  held boolean;
BEGIN
  IF current_user <> 'rowrunner_job_writer' THEN
    RAISE EXCEPTION 'a function of the engine runs as %, not as rowrunner_job_writer', current_user
      USING ERRCODE = 'insufficient_privilege', HINT = 'Run ''rowrunner migrate''.';
  END IF;
  EXECUTE format('UPDATE %s j SET run_at = ''infinity'' WHERE j.id = $1 AND j.status = ''queued'''
                 ' RETURNING j.run_at = ''infinity''', job_table) INTO held USING job_id;
  IF held IS NOT TRUE THEN
    RAISE EXCEPTION 'the UPDATE that holds job % left it to run: does a trigger suppress or change it?', job_id
      USING ERRCODE = 'RR004';
  END IF;
  IF pg_catalog.current_setting('search_path') OPERATOR(pg_catalog.<>) 'pg_catalog, pg_temp' OR EXISTS (
       SELECT FROM pg_catalog.pg_cursors c WHERE c.is_holdable
         AND c.creation_time OPERATOR(pg_catalog.>=) pg_catalog.statement_timestamp()) THEN
    RAISE EXCEPTION 'a trigger or index of % set search_path or left a cursor', job_table USING ERRCODE = 'RR005';
  END IF;
END
$$;

-- Lets a held job run at its time.
CREATE OR REPLACE FUNCTION rowrunner.unhold_row(job_table regclass, job_id uuid, at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET row_security = off AS $$
DECLARE
  n integer;
BEGIN
  IF current_user <> 'rowrunner_job_writer' THEN
    RAISE EXCEPTION 'a function of the engine runs as %, not as rowrunner_job_writer', current_user
      USING ERRCODE = 'insufficient_privilege', HINT = 'Run ''rowrunner migrate''.';
  END IF;
  EXECUTE format('UPDATE %s j SET run_at = $2, updated_at = now() WHERE j.id = $1 AND j.status = ''queued''',
                 job_table) USING job_id, at;
  GET DIAGNOSTICS n = ROW_COUNT;
  IF n = 0 THEN
    RAISE EXCEPTION 'the UPDATE that lets job % run changed no row: does a trigger suppress it?', job_id
      USING ERRCODE = 'RR004';
  END IF;
  IF pg_catalog.current_setting('search_path') OPERATOR(pg_catalog.<>) 'pg_catalog, pg_temp' OR EXISTS (
       SELECT FROM pg_catalog.pg_cursors c WHERE c.is_holdable
         AND c.creation_time OPERATOR(pg_catalog.>=) pg_catalog.statement_timestamp()) THEN
    RAISE EXCEPTION 'a trigger or index of % set search_path or left a cursor', job_table USING ERRCODE = 'RR005';
  END IF;
END
$$;

-- The status of a job, which is locked now; 'locked' if another session has it, NULL if there is none.
CREATE OR REPLACE FUNCTION rowrunner.free_row(job_table regclass, job_id uuid) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET row_security = off AS $$
DECLARE
  found_status text;
  n integer;
BEGIN
  IF current_user <> 'rowrunner_job_writer' THEN
    RAISE EXCEPTION 'a function of the engine runs as %, not as rowrunner_job_writer', current_user
      USING ERRCODE = 'insufficient_privilege', HINT = 'Run ''rowrunner migrate''.';
  END IF;
  EXECUTE format('SELECT j.status FROM %s j WHERE j.id = $1 FOR NO KEY UPDATE SKIP LOCKED', job_table)
    INTO found_status USING job_id;
  IF found_status IS NULL THEN
    EXECUTE format('SELECT FROM %s j WHERE j.id = $1', job_table) USING job_id;
    GET DIAGNOSTICS n = ROW_COUNT;
  END IF;
  IF pg_catalog.current_setting('search_path') OPERATOR(pg_catalog.<>) 'pg_catalog, pg_temp' OR EXISTS (
       SELECT FROM pg_catalog.pg_cursors c WHERE c.is_holdable
         AND c.creation_time OPERATOR(pg_catalog.>=) pg_catalog.statement_timestamp()) THEN
    RAISE EXCEPTION 'a trigger or index of % set search_path or left a cursor', job_table USING ERRCODE = 'RR005';
  END IF;
  RETURN CASE WHEN n = 1 THEN 'locked' ELSE found_status END;
END
$$;

-- Those of the named jobs that exist, locked in the order of their ids, so that none of them ends meanwhile.
CREATE OR REPLACE FUNCTION rowrunner.share_rows(job_table regclass, ids uuid[]) RETURNS TABLE (id uuid, status text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off SET row_security = off
SET enable_seqscan = off AS $$
BEGIN
  IF current_user <> 'rowrunner_job_writer' THEN
    RAISE EXCEPTION 'a function of the engine runs as %, not as rowrunner_job_writer', current_user
      USING ERRCODE = 'insufficient_privilege', HINT = 'Run ''rowrunner migrate''.';
  END IF;
  RETURN QUERY EXECUTE format('SELECT j.id, j.status FROM %s j WHERE j.id = ANY ($1) ORDER BY j.id FOR SHARE',
                              job_table) USING ids;
  IF pg_catalog.current_setting('search_path') OPERATOR(pg_catalog.<>) 'pg_catalog, pg_temp' OR EXISTS (
       SELECT FROM pg_catalog.pg_cursors c WHERE c.is_holdable
         AND c.creation_time OPERATOR(pg_catalog.>=) pg_catalog.statement_timestamp()) THEN
    RAISE EXCEPTION 'a trigger or index of % set search_path or left a cursor', job_table USING ERRCODE = 'RR005';
  END IF;
END
$$;

-- Before PostgreSQL 18 a deferred trigger runs as the role that commits. What code in a table's indexes and
-- constraints caused is run here instead.
CREATE OR REPLACE FUNCTION rowrunner.fire_deferred() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF current_user <> 'rowrunner_job_writer' THEN
    RAISE EXCEPTION 'a function of the engine runs as %, not as rowrunner_job_writer', current_user
      USING ERRCODE = 'insufficient_privilege', HINT = 'Run ''rowrunner migrate''.';
  END IF;
  SET CONSTRAINTS ALL IMMEDIATE;
  IF pg_catalog.current_setting('search_path') OPERATOR(pg_catalog.<>) 'pg_catalog, pg_temp' OR EXISTS (
       SELECT FROM pg_catalog.pg_cursors c WHERE c.is_holdable
         AND c.creation_time OPERATOR(pg_catalog.>=) pg_catalog.statement_timestamp()) THEN
    RAISE EXCEPTION 'a deferred trigger set search_path or left a cursor' USING ERRCODE = 'RR005';
  END IF;
END
$$
