-- The calls that make a table a job table, and an ordinary one again; that keep its entries in order, and
-- put them in order.

-- Gives every job the entry that belongs to its status, if it has none: in the queue or among the
-- delayed, in the dead letter list, or an expired lease, with which the next rescue finds a job that is
-- processing under a lease that does not exist. The job table is only read. One snapshot sees a job and
-- its entry, so none gets a second one from here unless two of these run at once; the row decides then.
-- Whole tables are joined: by hash or merge, which spill to disk, whatever the statistics say.
-- `unleased` are processing and belong to nobody. Planning a statement runs what is immutable in the
-- table's indexes and constraints, which its owner wrote: hence as rowrunner_job_writer.
CREATE FUNCTION rowrunner.add_missing(mine rowrunner.kinds, OUT queued bigint, OUT delayed bigint,
                                      OUT failed bigint, OUT lost bigint, OUT unleased bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_nestloop = off
SET jit = off SET row_security = off AS $$
BEGIN
  PERFORM rowrunner.as_job_writer();
  EXECUTE format($sql$
    WITH missing AS MATERIALIZED (
      SELECT j.id, j.priority, j.run_at FROM %1$s j
      WHERE j.status = 'queued' AND j.run_at < 'infinity'
        AND NOT EXISTS (SELECT FROM rowrunner.queue q
                        WHERE q.kind = $1 AND q.job_id = j.id AND q.priority = j.priority)
        AND NOT EXISTS (SELECT FROM rowrunner.delayed d
                        WHERE d.kind = $1 AND d.job_id = j.id AND d.priority = j.priority
                          AND d.run_at = j.run_at)
      ORDER BY j.created_at, j.id
    ), due AS (
      INSERT INTO rowrunner.queue (kind, priority, seq, job_id)
      SELECT $1, m.priority, nextval('rowrunner.back_of_line'), m.id FROM missing m WHERE m.run_at <= now()
      RETURNING 1
    ), later AS (
      INSERT INTO rowrunner.delayed (kind, run_at, priority, job_id)
      SELECT $1, m.run_at, m.priority, m.id FROM missing m WHERE m.run_at > now()
      RETURNING 1
    ), dead AS (
      INSERT INTO rowrunner.failures (kind, job_id, failed_at, attempts, error)
      SELECT $1, j.id, j.updated_at, j.attempts, j.last_error FROM %1$s j WHERE j.status = 'failed'
      ON CONFLICT DO NOTHING RETURNING 1
    ), expired AS (
      INSERT INTO rowrunner.leases (lease, kind, worker, expires_at, job_ids)
      SELECT j.lease, $1, coalesce(min(j.locked_by), 'unknown'), now(), array_agg(j.id)
      FROM %1$s j
      WHERE j.status = 'processing' AND NOT EXISTS (SELECT FROM rowrunner.leases l WHERE l.lease = j.lease)
      GROUP BY j.lease HAVING j.lease IS NOT NULL
      ON CONFLICT DO NOTHING RETURNING cardinality(job_ids) AS jobs
    )
    SELECT (SELECT count(*) FROM due), (SELECT count(*) FROM later), (SELECT count(*) FROM dead),
           (SELECT coalesce(sum(jobs), 0) FROM expired),
           (SELECT count(*) FROM %1$s j WHERE j.status = 'processing' AND j.lease IS NULL)
    $sql$, mine.job_table)
  INTO queued, delayed, failed, lost, unleased USING mine.id;
  -- Before PostgreSQL 18 a deferred trigger that such code caused would run with the caller's rights.
  SET CONSTRAINTS ALL IMMEDIATE;
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
  EXECUTE format('GRANT SELECT, UPDATE ON %s TO rowrunner_job_writer', mine.job_table);
  EXECUTE format('GRANT SELECT, UPDATE ON SEQUENCE %s, %s TO rowrunner_worker', mine.wakeup, mine.reached);
  EXECUTE format('GRANT SELECT, UPDATE ON SEQUENCE %s TO rowrunner_engine', mine.wakeup);
  SELECT string_agg(r, ', ' ORDER BY r) INTO excluded
    FROM unnest(ARRAY['rowrunner_app', 'rowrunner_job_writer', 'rowrunner_worker']) r
    WHERE NOT has_schema_privilege(r, in_schema, 'USAGE');
  IF excluded IS NOT NULL THEN
    RAISE WARNING '% cannot be reached by %', mine.job_table, excluded
      USING HINT = format('Run: GRANT USAGE ON SCHEMA %s TO %s', in_schema, excluded);
  END IF;
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
  PERFORM rowrunner.grant_access(mine);
END
$$;

-- A new row of rowrunner.kinds, with the sequences of the kind.
CREATE FUNCTION rowrunner.register(job_table regclass, kind text, retention interval)
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
  INSERT INTO rowrunner.kinds (kind, job_table, cancelled_status, wakeup, reached, retention)
    VALUES (register.kind, register.job_table, 'failed', ('rowrunner.wakeup_' || register.kind)::regclass,
            ('rowrunner.reached_' || register.kind)::regclass, register.retention)
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
CREATE FUNCTION rowrunner.attach(job_table regclass, kind text, retention interval DEFAULT NULL)
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
    mine := rowrunner.register(attach.job_table, attach.kind, attach.retention);
  ELSIF mine.kind <> attach.kind OR mine.job_table <> attach.job_table THEN
    RAISE EXCEPTION '% is attached as % already, so % cannot be attached as %',
      mine.job_table, mine.kind, attach.job_table, attach.kind USING ERRCODE = 'duplicate_object';
  END IF;
  -- A CHECK on status that does not know 'cancelled' says which word to use instead; what cannot be
  -- tried is read.
  UPDATE rowrunner.kinds k
    SET retention = coalesce(attach.retention, k.retention),
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
    SELECT m.unleased INTO unleased FROM rowrunner.add_missing(mine) m;
  END IF;
  IF unleased > 0 THEN
    RAISE EXCEPTION '% rows of % are processing and belong to no worker of the engine', unleased,
      attach.job_table USING ERRCODE = 'object_not_in_prerequisite_state',
      HINT = format('UPDATE %s SET status = ''queued'' WHERE status = ''processing'' AND lease IS NULL',
                    attach.job_table);
  END IF;
END
$$;

-- Removes entries of one kind whose job is gone or has moved on, on `pages` pages of each table, from
-- `from_page` on. A page at a time keeps it bounded without an index by job; the job table is asked by its
-- primary key, whatever the statistics say.
CREATE FUNCTION rowrunner.sweep_kind(mine rowrunner.kinds, from_page bigint, pages bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off SET lock_timeout = '1s'
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET row_security = off AS $$
DECLARE
  first_row CONSTANT tid := format('(%s,0)', from_page);
  end_row CONSTANT tid := format('(%s,0)', least(from_page + pages, 4294967294));
  is_there CONSTANT boolean := EXISTS (SELECT FROM pg_class c WHERE c.oid = mine.job_table);
  store text;
  matches text;
  n bigint;
  removed bigint := 0;
BEGIN
  FOR store, matches IN VALUES
    ('queue', 'j.status = ''queued'' AND j.priority = x.priority AND j.run_at < ''infinity'''),
    -- An entry that is due at another time than its job goes only where the right one is there too.
    ('delayed', 'j.status = ''queued'' AND j.priority = x.priority AND j.run_at < ''infinity'''
                ' AND (j.run_at = x.run_at OR NOT EXISTS (SELECT FROM rowrunner.delayed o'
                ' WHERE o.kind = x.kind AND o.run_at = j.run_at AND o.job_id = j.id))'),
    ('failures', 'j.status = ''failed'''), ('steps', 'true'), ('progress', 'true'), ('attempts', 'true')
  LOOP
    EXECUTE format($sql$
      WITH x AS MATERIALIZED (
        SELECT e.*, e.ctid AS place FROM rowrunner.%I e
        WHERE e.ctid >= $1 AND e.ctid < $2 AND e.kind + 0 = $3
      )
      DELETE FROM rowrunner.%1$I WHERE ctid = ANY (ARRAY(SELECT x.place FROM x %s)) $sql$, store,
      CASE WHEN is_there THEN format('WHERE NOT EXISTS (SELECT FROM %s j WHERE j.id = x.job_id AND %s)',
                                     mine.job_table, matches) END)
      USING first_row, end_row, mine.id;
    GET DIAGNOSTICS n = ROW_COUNT;
    removed := removed + n;
  END LOOP;
  RETURN removed;
END
$$;

-- The pages of the largest of the tables that sweep_kind walks over.
CREATE FUNCTION rowrunner.pages_to_sweep() RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT max(pg_relation_size(c.oid)) / current_setting('block_size')::bigint
  FROM pg_class c
  WHERE c.relnamespace = 'rowrunner'::regnamespace
    AND c.relname IN ('queue', 'delayed', 'failures', 'steps', 'progress', 'attempts')
$$;

-- Removes what nobody needs any more: counters of last week, workers that vanished yesterday, requests to
-- cancel a job whose lease has ended, and entries whose job is gone or has moved on. Workers call it for
-- some pages at a time and go on at `next_page`, which is NULL at the end; without arguments it walks over
-- everything. A kind whose table cannot be read just now is left for the next time.
CREATE FUNCTION rowrunner.sweep(from_page bigint DEFAULT 0, pages bigint DEFAULT NULL,
                                OUT removed bigint, OUT next_page bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mine rowrunner.kinds;
BEGIN
  removed := 0;
  next_page := from_page;
  IF from_page = 0 THEN
    DELETE FROM rowrunner.counters WHERE minute < now() - interval '7 days';
    DELETE FROM rowrunner.workers WHERE seen_at < now() - interval '1 day';
    DELETE FROM rowrunner.cancellations c
      WHERE c.requested_at < now() - interval '1 minute'
        AND NOT EXISTS (SELECT FROM rowrunner.leases l WHERE l.lease = c.lease);
  END IF;
  LOOP
    FOR mine IN SELECT * FROM rowrunner.kinds k ORDER BY k.id LOOP
      BEGIN
        removed := removed + rowrunner.sweep_kind(mine, next_page, coalesce(pages, 1000));
      EXCEPTION WHEN lock_not_available OR deadlock_detected OR insufficient_privilege
                  OR undefined_table OR undefined_column THEN
        RAISE WARNING 'entries of kind % were not swept: %', mine.kind, SQLERRM;
      END;
    END LOOP;
    next_page := next_page + coalesce(pages, 1000);
    IF next_page >= rowrunner.pages_to_sweep() THEN
      next_page := NULL;
    END IF;
    EXIT WHEN next_page IS NULL OR pages IS NOT NULL;
  END LOOP;
END
$$;

-- Second entries of a job, which do no harm but count.
CREATE FUNCTION rowrunner.remove_duplicates(of_kind smallint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_nestloop = off SET jit = off AS $$
DECLARE
  n bigint;
  removed bigint;
BEGIN
  DELETE FROM rowrunner.queue q
    USING (SELECT e.priority, e.seq,
                  row_number() OVER (PARTITION BY e.job_id, e.priority ORDER BY e.seq) AS place
           FROM rowrunner.queue e WHERE e.kind = of_kind) numbered
    WHERE q.kind = of_kind AND q.priority = numbered.priority AND q.seq = numbered.seq
      AND numbered.place > 1;
  GET DIAGNOSTICS removed = ROW_COUNT;
  DELETE FROM rowrunner.delayed WHERE ctid = ANY (ARRAY(
    SELECT numbered.tid
    FROM (SELECT d.ctid AS tid, d.job_id, d.priority,
                 row_number() OVER (PARTITION BY d.job_id, d.priority, d.run_at) AS place
          FROM rowrunner.delayed d WHERE d.kind = of_kind) numbered
    WHERE numbered.place > 1
       OR EXISTS (SELECT FROM rowrunner.queue q WHERE q.kind = of_kind AND q.job_id = numbered.job_id
                    AND q.priority = numbered.priority)));
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN removed + n;
END
$$;

-- Makes the entries of a kind match its jobs again, after rows came in or changed while the triggers were
-- disabled (pg_restore --disable-triggers, session_replication_role): every job gets the entry that it
-- lacks, and stale and second entries go. Jobs may be enqueued, claimed and ended meanwhile. Jobs that
-- are held (run_at = 'infinity') have no entry. Answers how many entries it added and removed, and what
-- it cannot repair.
CREATE FUNCTION rowrunner.repair(kind text, OUT queued bigint, OUT delayed bigint, OUT failed bigint,
                                 OUT lost bigint, OUT removed bigint, OUT problems text[])
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off AS $$
DECLARE
  mine rowrunner.kinds := rowrunner.kind_named(repair.kind);
  page bigint := 0;
  unleased bigint;
BEGIN
  PERFORM FROM rowrunner.kinds k WHERE k.id = mine.id FOR KEY SHARE;  -- a detach waits
  IF NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = mine.job_table) THEN
    RAISE EXCEPTION 'the table of kind % was dropped', mine.kind USING ERRCODE = 'undefined_table',
      HINT = format('SELECT rowrunner.detach(%L)', mine.kind);
  END IF;
  problems := ARRAY(SELECT rowrunner.attach_problems(mine.job_table));
  removed := 0;
  WHILE page < rowrunner.pages_to_sweep() LOOP
    removed := removed + rowrunner.sweep_kind(mine, page, 1000);
    page := page + 1000;
  END LOOP;
  removed := removed + rowrunner.remove_duplicates(mine.id);
  SELECT m.queued, m.delayed, m.failed, m.lost, m.unleased INTO queued, delayed, failed, lost, unleased
    FROM rowrunner.add_missing(mine) m;
  IF unleased > 0 THEN
    problems := problems || format(
      '%s rows are processing without a lease: UPDATE %s SET status = ''queued'' WHERE status = ''processing'''
      ' AND lease IS NULL', unleased, mine.job_table);
  END IF;
  IF queued > 0 THEN
    PERFORM rowrunner.wake(mine.wakeup, mine.kind);
  END IF;
END
$$;
