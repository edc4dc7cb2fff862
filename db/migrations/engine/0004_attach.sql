-- The calls that make a table a job table, and an ordinary one again.

-- Gives every job the entry that belongs to its status, if it has none: in the queue or among the
-- delayed, in the dead letter list, or an expired lease, with which the next rescue finds a job that is
-- processing under a lease that does not exist. The job table is only read. One snapshot sees a job and
-- its entry, so none gets a second one from here unless two of these run at once; the row decides then.
-- Whole tables are joined: by hash or merge, which spill to disk, whatever the statistics say.
-- `unleased` are processing and belong to nobody. The job table is read by a function of rowrunner_job_writer,
-- in the same snapshot: planning a statement runs what is immutable in the table's indexes and constraints,
-- which its owner wrote.
CREATE FUNCTION rowrunner.add_missing(kind_id smallint, OUT queued bigint, OUT delayed bigint,
                                      OUT failed bigint, OUT lost bigint, OUT unleased bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_nestloop = off
SET jit = off AS $$
BEGIN
  WITH job AS MATERIALIZED (
    SELECT j.* FROM rowrunner.kinds k, rowrunner.unended_jobs(k.job_table) j WHERE k.id = kind_id
  ), missing AS MATERIALIZED (
    SELECT j.id, j.priority, j.run_at FROM job j
    WHERE j.status = 'queued' AND j.run_at < 'infinity'
      AND NOT EXISTS (SELECT FROM rowrunner.queue q
                      WHERE q.kind = kind_id AND q.job_id = j.id AND q.priority = j.priority)
      AND NOT EXISTS (SELECT FROM rowrunner.delayed d
                      WHERE d.kind = kind_id AND d.job_id = j.id AND d.priority = j.priority
                        AND d.run_at = j.run_at)
      -- A claim of it failed, and its entry waits for the next try.
      AND NOT EXISTS (SELECT FROM rowrunner.claim_errors e
                      JOIN rowrunner.delayed d ON d.kind = e.kind AND d.job_id = e.job_id
                      WHERE e.kind = kind_id AND e.job_id = j.id AND d.priority = j.priority)
    ORDER BY j.created_at, j.id
  ), due AS (
    INSERT INTO rowrunner.queue (kind, priority, seq, job_id)
    SELECT kind_id, m.priority, nextval('rowrunner.queue_back'), m.id FROM missing m WHERE m.run_at <= now()
    RETURNING 1
  ), later AS (
    INSERT INTO rowrunner.delayed (kind, run_at, priority, job_id)
    SELECT kind_id, m.run_at, m.priority, m.id FROM missing m WHERE m.run_at > now()
    RETURNING 1
  ), dead AS (
    INSERT INTO rowrunner.failures (kind, job_id, failed_at, attempts, error)
    SELECT kind_id, j.id, j.updated_at, j.attempts, j.last_error FROM job j WHERE j.status = 'failed'
    ON CONFLICT DO NOTHING RETURNING 1
  ), expired AS (
    INSERT INTO rowrunner.leases (lease, kind, worker, expires_at, job_ids)
    SELECT j.lease, kind_id, coalesce(min(j.locked_by), 'unknown'), now(), array_agg(j.id)
    FROM job j
    WHERE j.status = 'processing' AND NOT EXISTS (SELECT FROM rowrunner.leases l WHERE l.lease = j.lease)
    GROUP BY j.lease HAVING j.lease IS NOT NULL
    ON CONFLICT DO NOTHING RETURNING cardinality(job_ids) AS jobs
  )
  SELECT (SELECT count(*) FROM due), (SELECT count(*) FROM later), (SELECT count(*) FROM dead),
         (SELECT coalesce(sum(e.jobs), 0) FROM expired e),
         (SELECT count(*) FROM job j WHERE j.status = 'processing' AND j.lease IS NULL)
  INTO queued, delayed, failed, lost, unleased;
  PERFORM rowrunner.fire_deferred();
END
$$;

-- The sequences of a kind belong to the schema's owner, as its table may not.
CREATE FUNCTION rowrunner.grant_sequences(mine rowrunner.kinds) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  EXECUTE format('GRANT SELECT, UPDATE ON SEQUENCE %s, %s TO rowrunner_worker', mine.wakeup, mine.reached);
  EXECUTE format('GRANT SELECT, UPDATE ON SEQUENCE %s TO rowrunner_engine', mine.wakeup);
END
$$;

-- Gives each role what it needs of a job table and of the sequences of its kind. Says which schema it may
-- not use: that is for the owner of the schema to decide.
CREATE FUNCTION rowrunner.grant_access(mine rowrunner.kinds) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  in_schema CONSTANT regnamespace := (SELECT relnamespace FROM pg_class WHERE oid = mine.job_table);
  excluded text;
BEGIN
  EXECUTE format('GRANT SELECT, INSERT ON %s TO rowrunner_app', mine.job_table);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO rowrunner_worker', mine.job_table);
  -- Not what a job is about: triggers of other tables' owners run as this role.
  EXECUTE format('REVOKE ALL ON %s FROM rowrunner_job_writer', mine.job_table);
  EXECUTE format('GRANT SELECT (id, status, priority, run_at, created_at, updated_at, attempts, max_attempts,'
                 ' last_error, lease, locked_by), UPDATE (status, attempts, last_error, run_at, updated_at,'
                 ' lease, locked_at, locked_by) ON %s TO rowrunner_job_writer', mine.job_table);
  SELECT string_agg(r, ', ' ORDER BY r) INTO excluded
    FROM unnest(ARRAY['rowrunner_app', 'rowrunner_job_writer', 'rowrunner_worker']) r
    WHERE NOT has_schema_privilege(r, in_schema, 'USAGE');
  IF excluded IS NOT NULL THEN
    RAISE WARNING '% cannot be reached by %', mine.job_table, excluded
      USING HINT = format('Run: GRANT USAGE ON SCHEMA %s TO %s', in_schema, excluded);
  END IF;
END
$$;

-- A trigger function without a search_path of its own runs under that of whoever fires it, which for
-- workers and for the engine's functions is the system's. Whoever names even operators with their schema
-- needs none.
CREATE FUNCTION rowrunner.warn_of_triggers(job_table regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  f regprocedure;
BEGIN
  FOR f IN
    SELECT DISTINCT p.oid::regprocedure
    FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_language l ON l.oid = p.prolang
    WHERE t.tgrelid = warn_of_triggers.job_table AND NOT t.tgisinternal AND l.lanname NOT IN ('internal', 'c')
      AND p.pronamespace <> 'rowrunner'::regnamespace
      AND NOT EXISTS (SELECT FROM unnest(p.proconfig) s WHERE s LIKE 'search\_path=%')
      AND p.prosrc NOT LIKE '%OPERATOR(pg\_catalog.%'
  LOOP
    RAISE WARNING 'workers fire % with search_path = pg_catalog, pg_temp', f
      USING HINT = format('If it names anything of yours without its schema, run:'
                          ' ALTER FUNCTION %s SET search_path = %s, pg_temp', f,
                          (SELECT relnamespace::regnamespace FROM pg_class WHERE oid = job_table));
  END LOOP;
END
$$;

-- The triggers and permissions of a job table.
CREATE FUNCTION rowrunner.equip(mine rowrunner.kinds) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  arguments CONSTANT text := format('(%L, %L, %L)', mine.id, mine.kind, mine.wakeup);
BEGIN
  EXECUTE format('CREATE OR REPLACE TRIGGER rowrunner_insert AFTER INSERT ON %s'
    ' REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT'
    ' EXECUTE FUNCTION rowrunner.on_insert%s', mine.job_table, arguments);
  EXECUTE format('CREATE OR REPLACE TRIGGER rowrunner_update AFTER UPDATE ON %s FOR EACH ROW'
    ' WHEN (NEW.status IN (''queued'', ''failed'') OR OLD.status = ''failed'''
    '       OR (NEW.status = ''processing'' AND (NEW.lease IS NULL OR OLD.status NOT IN (''queued'', ''processing'')))'
    '       OR NEW.id <> OLD.id)'
    ' EXECUTE FUNCTION rowrunner.on_update%s', mine.job_table, arguments);
  EXECUTE format('CREATE OR REPLACE TRIGGER rowrunner_delete AFTER DELETE ON %s'
    ' REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT'
    ' EXECUTE FUNCTION rowrunner.on_delete%s', mine.job_table, arguments);
  EXECUTE format('CREATE OR REPLACE TRIGGER rowrunner_truncate AFTER TRUNCATE ON %s'
    ' EXECUTE FUNCTION rowrunner.on_truncate%s', mine.job_table, arguments);
  PERFORM rowrunner.grant_sequences(mine);
  PERFORM rowrunner.grant_access(mine);
  PERFORM rowrunner.warn_of_triggers(mine.job_table);
END
$$;

-- A new row of rowrunner.kinds, with the sequences of the kind.
CREATE FUNCTION rowrunner.register(job_table regclass, kind text)
RETURNS rowrunner.kinds LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mine rowrunner.kinds;
BEGIN
  IF register.kind !~ '^[a-z][a-z0-9_]{0,47}$' THEN
    RAISE EXCEPTION 'kind % is not a name of lower case letters, digits and _ (48 at most)',
      quote_literal(register.kind) USING ERRCODE = 'invalid_name';
  END IF;
  EXECUTE format('CREATE SEQUENCE rowrunner.wakeup_%s', register.kind);
  EXECUTE format('CREATE SEQUENCE rowrunner.reached_%s', register.kind);
  INSERT INTO rowrunner.kinds (kind, job_table, cancelled_status, wakeup, reached)
    VALUES (register.kind, register.job_table, 'failed', ('rowrunner.wakeup_' || register.kind)::regclass,
            ('rowrunner.reached_' || register.kind)::regclass)
    RETURNING * INTO mine;
  RETURN mine;
END
$$;

-- Takes a table out of the engine. The rows stay as they are; running jobs must have ended. Of a table
-- that was dropped, everything goes that was kept of it.
CREATE FUNCTION rowrunner.detach(kind text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mine rowrunner.kinds;
  event text;
BEGIN
  SELECT * INTO mine FROM rowrunner.kinds k WHERE k.kind = detach.kind FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'unknown kind %', detach.kind USING ERRCODE = 'undefined_object';
  END IF;
  IF EXISTS (SELECT FROM pg_class c WHERE c.oid = mine.job_table) THEN
    EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', mine.job_table);
    IF EXISTS (SELECT FROM rowrunner.leases l WHERE l.kind = mine.id) THEN
      RAISE EXCEPTION 'kind % has running jobs', detach.kind
        USING ERRCODE = 'object_in_use', HINT = 'Pause the kind and wait until its jobs have ended.';
    END IF;
    FOREACH event IN ARRAY ARRAY['insert', 'update', 'delete', 'truncate'] LOOP
      EXECUTE format('DROP TRIGGER IF EXISTS rowrunner_%s ON %s', event, mine.job_table);
    END LOOP;
  END IF;
  PERFORM rowrunner.forget_jobs(mine.id);
  DELETE FROM rowrunner.cancellations c USING rowrunner.leases l WHERE l.kind = mine.id AND c.lease = l.lease;
  DELETE FROM rowrunner.leases l WHERE l.kind = mine.id;
  DELETE FROM rowrunner.counters c WHERE c.kind = mine.id;
  DELETE FROM rowrunner.kinds k WHERE k.id = mine.id;
  EXECUTE format('DROP SEQUENCE IF EXISTS rowrunner.wakeup_%1$s, rowrunner.reached_%1$s', mine.kind);
END
$$;

-- attach makes triggers on the table and grants permissions on it, which is for its owner to do.
CREATE FUNCTION rowrunner.refuse_stranger(job_table regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  its_owner CONSTANT name := (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = job_table);
BEGIN
  IF NOT pg_has_role(its_owner, 'USAGE') THEN
    RAISE EXCEPTION '% belongs to %, and % may not change it', job_table, its_owner, current_user
      USING ERRCODE = 'insufficient_privilege',
            HINT = format('Run: GRANT %I TO %I, or: ALTER TABLE %s OWNER TO %2$I', its_owner, current_user,
                          job_table);
  END IF;
END
$$;

-- Makes a table a job table: SELECT rowrunner.attach('my_jobs', kind => 'my_kind').
-- Rows that are queued already get their entries. Calling it again for the same pair is fine: it makes
-- the triggers anew and adds what is missing. It writes nothing to the table, so that no trigger of its
-- owner runs with the permissions of the caller.
-- `retention` deletes jobs that long after they succeeded, `failed_retention` after they failed or
-- were cancelled; by default none is deleted. An argument that is left out, or NULL, changes nothing
-- when the kind is attached already: `rowrunner kinds retention KIND never` ends a retention.
CREATE FUNCTION rowrunner.attach(job_table regclass, kind text, retention interval DEFAULT NULL,
                                 failed_retention interval DEFAULT NULL)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mine rowrunner.kinds;
  unleased bigint;
BEGIN
  -- The lock lets no uncommitted row pass, but an older snapshot would not see what was committed since.
  IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
    RAISE EXCEPTION 'attach would miss jobs under %', upper(current_setting('transaction_isolation'))
      USING ERRCODE = 'active_sql_transaction',
            HINT = 'Call it in a transaction that begins with BEGIN ISOLATION LEVEL READ COMMITTED.';
  END IF;
  PERFORM rowrunner.refuse_stranger(attach.job_table);
  PERFORM rowrunner.refuse_unfit(attach.job_table);
  EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', attach.job_table);
  PERFORM rowrunner.refuse_unfit(attach.job_table);

  IF EXISTS (SELECT FROM rowrunner.kinds k WHERE k.kind = attach.kind
             AND NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = k.job_table)) THEN
    RAISE NOTICE 'the table that was attached as % is gone', attach.kind;
    PERFORM rowrunner.detach(attach.kind);
  END IF;
  SELECT * INTO mine FROM rowrunner.kinds k
    WHERE k.kind = attach.kind OR k.job_table = attach.job_table;
  IF NOT FOUND THEN
    mine := rowrunner.register(attach.job_table, attach.kind);
  ELSIF mine.kind <> attach.kind OR mine.job_table <> attach.job_table THEN
    RAISE EXCEPTION '% is attached as % already, so % cannot be attached as %',
      mine.job_table, mine.kind, attach.job_table, attach.kind USING ERRCODE = 'duplicate_object';
  END IF;
  -- A CHECK on status that does not know 'cancelled' says which word to use instead; what cannot be
  -- tried is read.
  UPDATE rowrunner.kinds k
    SET retention = coalesce(attach.retention, k.retention),
        failed_retention = coalesce(attach.failed_retention, k.failed_retention),
        cancelled_status = CASE
          WHEN rowrunner.refuses_status(attach.job_table, 'cancelled') IS NULL AND NOT EXISTS (
                 SELECT FROM pg_constraint c JOIN pg_attribute a
                   ON a.attrelid = c.conrelid AND a.attname = 'status' AND a.attnum = ANY (c.conkey)
                 WHERE c.conrelid = attach.job_table AND c.contype = 'c'
                   AND pg_get_constraintdef(c.oid) LIKE '%''queued''%'
                   AND pg_get_constraintdef(c.oid) NOT LIKE '%''cancelled''%') THEN 'cancelled'
          ELSE 'failed' END
    WHERE k.id = mine.id;
  PERFORM rowrunner.equip(mine);
  IF pg_relation_size(mine.job_table) > 0 THEN
    SELECT m.unleased INTO unleased FROM rowrunner.add_missing(mine.id) m;
  END IF;
  IF unleased > 0 THEN
    RAISE EXCEPTION '% rows of % are processing and belong to no worker of the engine', unleased,
      attach.job_table USING ERRCODE = 'object_not_in_prerequisite_state',
      HINT = format('UPDATE %s SET status = ''queued'' WHERE status = ''processing'' AND lease IS NULL',
                    attach.job_table);
  END IF;
END
$$;
