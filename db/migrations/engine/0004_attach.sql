-- The calls that make a table a job table, and an ordinary one again.

-- The jobs of a kind that lack the entry which belongs to their status: in the queue or among the delayed, in the
-- dead letter list, or a lease. `percent` of the table's pages are read. One snapshot sees a job and its entry. The
-- job table is read by a function of rowrunner_job_writer, in the same snapshot: planning a statement runs what is
-- immutable in the table's indexes and constraints, which its owner wrote. Whole tables are joined: by hash or
-- merge, which spill to disk, whatever the statistics say.
CREATE FUNCTION rowrunner.jobs_without_entry(kind_id smallint, percent real)
RETURNS TABLE (id uuid, status text, priority smallint, run_at timestamptz, created_at timestamptz,
               updated_at timestamptz, attempts integer, last_error text, lease bigint, locked_by text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_nestloop = off
SET jit = off AS $$
BEGIN
  RETURN QUERY
  WITH job AS MATERIALIZED (
    SELECT u.* FROM rowrunner.kinds k, rowrunner.unended_jobs(k.job_table, percent) u WHERE k.id = kind_id
  )
  SELECT j.* FROM job j
  WHERE j.status = 'queued' AND j.run_at < 'infinity'
    AND NOT EXISTS (SELECT FROM rowrunner.waits w WHERE w.child_kind = kind_id AND w.child_id = j.id)
    AND NOT EXISTS (SELECT FROM rowrunner.queue q
                    WHERE q.kind = kind_id AND q.job_id = j.id AND q.priority = j.priority)
    AND NOT EXISTS (SELECT FROM rowrunner.delayed d
                    WHERE d.kind = kind_id AND d.job_id = j.id AND d.priority = j.priority
                      AND d.run_at = j.run_at)
    -- A claim of it failed, and its entry waits for the next try.
    AND NOT EXISTS (SELECT FROM rowrunner.claim_errors e
                    JOIN rowrunner.delayed d ON d.kind = e.kind AND d.job_id = e.job_id
                    WHERE e.kind = kind_id AND e.job_id = j.id AND d.priority = j.priority)
  UNION ALL
  SELECT j.* FROM job j
  WHERE j.status = 'failed'
    AND NOT EXISTS (SELECT FROM rowrunner.failures f WHERE f.kind = kind_id AND f.job_id = j.id)
  UNION ALL
  SELECT j.* FROM job j
  WHERE j.status = 'processing' AND NOT EXISTS (SELECT FROM rowrunner.leases l WHERE l.lease = j.lease);
END
$$;

-- Gives these jobs their entries: an expired lease if they are processing, with which the next rescue finds them.
-- The job table is only read. No job gets a second entry from here unless two of these run at once; the row
-- decides then. `unleased` are processing and belong to no worker of the engine.
CREATE FUNCTION rowrunner.add_missing(kind_id smallint, OUT queued bigint, OUT delayed bigint,
                                      OUT failed bigint, OUT lost bigint, OUT unleased bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_nestloop = off
SET jit = off AS $$
BEGIN
  WITH missing AS MATERIALIZED (
    SELECT j.* FROM rowrunner.jobs_without_entry(kind_id, 100) j ORDER BY j.created_at, j.id
  ), due AS (
    INSERT INTO rowrunner.queue (kind, priority, seq, job_id)
    SELECT kind_id, m.priority, nextval('rowrunner.queue_back'), m.id
    FROM missing m WHERE m.status = 'queued' AND m.run_at <= now()
    RETURNING 1
  ), later AS (
    INSERT INTO rowrunner.delayed (kind, run_at, priority, job_id)
    SELECT kind_id, m.run_at, m.priority, m.id FROM missing m WHERE m.status = 'queued' AND m.run_at > now()
    RETURNING 1
  ), dead AS (
    INSERT INTO rowrunner.failures (kind, job_id, failed_at, attempts, error)
    SELECT kind_id, m.id, m.updated_at, m.attempts, m.last_error FROM missing m WHERE m.status = 'failed'
    ON CONFLICT DO NOTHING RETURNING 1
  ), expired AS (
    INSERT INTO rowrunner.leases (lease, kind, worker, expires_at, job_ids)
    SELECT m.lease, kind_id, coalesce(min(m.locked_by), 'unknown'), now(), array_agg(m.id)
    FROM missing m WHERE m.status = 'processing' AND m.lease IS NOT NULL GROUP BY m.lease
    ON CONFLICT DO NOTHING RETURNING cardinality(job_ids) AS jobs
  )
  SELECT (SELECT count(*) FROM due), (SELECT count(*) FROM later), (SELECT count(*) FROM dead),
         (SELECT coalesce(sum(e.jobs), 0) FROM expired e),
         (SELECT count(*) FROM missing m WHERE m.status = 'processing' AND m.lease IS NULL)
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

-- What each role needs of a job table; NULL: of all columns. rowrunner_job_writer gets nothing of what a job is about:
-- triggers of other tables' owners run as this role.
CREATE FUNCTION rowrunner.job_table_permissions() RETURNS TABLE (role text, privilege text, columns name[])
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  VALUES ('rowrunner_app', 'SELECT', NULL::name[]), ('rowrunner_app', 'INSERT', NULL),
         ('rowrunner_worker', 'SELECT', NULL), ('rowrunner_worker', 'INSERT', NULL),
         ('rowrunner_worker', 'UPDATE', NULL), ('rowrunner_worker', 'DELETE', NULL),
         ('rowrunner_job_writer', 'SELECT', '{xmin,id,status,priority,run_at,created_at,updated_at,attempts,'
                                            'max_attempts,last_error,lease,locked_by}'),
         ('rowrunner_job_writer', 'UPDATE', '{status,attempts,last_error,run_at,updated_at,lease,locked_at,locked_by}')
$$;

-- The statements that give them.
CREATE FUNCTION rowrunner.grants_on(job_table regclass) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT string_agg(format('GRANT %s ON %s TO %I', g.privileges, job_table, g.role), '; ' ORDER BY g.first)
  FROM (SELECT p.role, min(p.n) AS first,
               string_agg(p.privilege || coalesce(' (' || array_to_string(p.columns, ', ') || ')', ''), ', '
                          ORDER BY p.n) AS privileges
        FROM rowrunner.job_table_permissions() WITH ORDINALITY p (role, privilege, columns, n) GROUP BY p.role) g
$$;

-- Gives each role what it needs of a job table. Says which schema it may not use: that is for the owner of the schema
-- to decide.
CREATE FUNCTION rowrunner.grant_access(mine rowrunner.kinds) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  in_schema CONSTANT regnamespace := (SELECT relnamespace FROM pg_class WHERE oid = mine.job_table);
  excluded text;
BEGIN
  EXECUTE format('REVOKE ALL ON %s FROM rowrunner_job_writer', mine.job_table);
  EXECUTE rowrunner.grants_on(mine.job_table);
  SELECT string_agg(r, ', ' ORDER BY r) INTO excluded
    FROM unnest(ARRAY['rowrunner_app', 'rowrunner_job_writer', 'rowrunner_worker']) r
    WHERE NOT has_schema_privilege(r, in_schema, 'USAGE');
  IF excluded IS NOT NULL THEN
    RAISE WARNING '% cannot be reached by %', mine.job_table, excluded
      USING HINT = format('Run: GRANT USAGE ON SCHEMA %s TO %s', in_schema, excluded);
  END IF;
END
$$;

-- A trigger function without a search_path of its own runs under that of the session that fires it, which
-- for workers and for the engine's functions is the system's. A function that names even operators with
-- their schema needs none.
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
    '       OR (OLD.status = ''queued'' AND NEW.status <> ''processing'')'
    '       OR NEW.id <> OLD.id)'
    ' EXECUTE FUNCTION rowrunner.on_update%s', mine.job_table, arguments);
  EXECUTE format('CREATE OR REPLACE TRIGGER rowrunner_delete AFTER DELETE ON %s'
    ' REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT'
    ' EXECUTE FUNCTION rowrunner.on_delete%s', mine.job_table, arguments);
  EXECUTE format('CREATE OR REPLACE TRIGGER rowrunner_truncate AFTER TRUNCATE ON %s'
    ' EXECUTE FUNCTION rowrunner.on_truncate%s', mine.job_table, arguments);
  IF mine.joins THEN
    EXECUTE format('CREATE OR REPLACE TRIGGER rowrunner_parent_update AFTER UPDATE ON %s'
      ' REFERENCING NEW TABLE AS written FOR EACH STATEMENT'
      ' EXECUTE FUNCTION rowrunner.on_parent_update%s', mine.job_table, arguments);
    EXECUTE format('CREATE OR REPLACE TRIGGER rowrunner_parent_delete AFTER DELETE ON %s'
      ' REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT'
      ' EXECUTE FUNCTION rowrunner.on_parent_delete%s', mine.job_table, arguments);
  END IF;
  PERFORM rowrunner.grant_sequences(mine);
  PERFORM rowrunner.grant_access(mine);
  PERFORM rowrunner.warn_of_triggers(mine.job_table);
END
$$;

-- What keeps the triggers of a job table from adding entries, and the statement that changes that.
CREATE FUNCTION rowrunner.trigger_problems(mine rowrunner.kinds) RETURNS TABLE (problem text, cure text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT format('trigger %s is %s', name, CASE WHEN t.oid IS NULL THEN 'missing' ELSE 'disabled' END),
         format('SELECT rowrunner.attach(%L, kind => %L)', mine.job_table, mine.kind)
  FROM unnest('{rowrunner_insert,rowrunner_update,rowrunner_delete,rowrunner_truncate}'::name[]
              || CASE WHEN mine.joins THEN '{rowrunner_parent_update,rowrunner_parent_delete}'::name[] END) name
  LEFT JOIN pg_trigger t ON t.tgrelid = mine.job_table AND t.tgname = name
  WHERE t.oid IS NULL OR t.tgenabled NOT IN ('O', 'A')
$$;

-- The same of all job tables: settings under which no trigger fires, of this session, of a role or of the database.
CREATE FUNCTION rowrunner.replication_role_problems() RETURNS TABLE (problem text, cure text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT 'session_replication_role is replica ' || at.place, at.cure
  FROM pg_settings s
  CROSS JOIN LATERAL (
    SELECT 'in the configuration of the server' AS place, 'ALTER SYSTEM RESET session_replication_role' AS cure
    WHERE s.source = 'configuration file'
    UNION ALL
    SELECT 'in this session', 'SET session_replication_role = origin'
    WHERE s.source NOT IN ('configuration file', 'user', 'database', 'database user')) at
  WHERE s.name = 'session_replication_role' AND s.setting = 'replica'
  UNION ALL
  SELECT format('session_replication_role is replica for %s', target),
         format('ALTER %s RESET session_replication_role', target)
  FROM pg_db_role_setting s
  CROSS JOIN LATERAL unnest(s.setconfig) setting
  LEFT JOIN pg_database d ON d.oid = s.setdatabase
  CROSS JOIN LATERAL (
    SELECT CASE WHEN s.setrole = 0 AND s.setdatabase <> 0 THEN format('DATABASE %I', d.datname)
                ELSE format('ROLE %s', CASE WHEN s.setrole = 0 THEN 'ALL' ELSE s.setrole::regrole::text END)
                     || coalesce(format(' IN DATABASE %I', d.datname), '') END AS target) of
  WHERE lower(setting) = 'session_replication_role=replica'
    AND (s.setdatabase = 0 OR d.datname = current_database())
$$;

-- Takes a table out of the engine. The rows stay as they are; running jobs must have ended. Of a table
-- that was dropped, everything goes that was kept of it.
CREATE FUNCTION rowrunner.detach(kind text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mine rowrunner.kinds;
  event text;
BEGIN
  PERFORM FROM rowrunner.kinds k WHERE k.kind = detach.kind FOR UPDATE;
  mine := rowrunner.kind_named(detach.kind);
  IF EXISTS (SELECT FROM pg_class c WHERE c.oid = mine.job_table) THEN
    EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', mine.job_table);
    IF EXISTS (SELECT FROM rowrunner.leases l WHERE l.kind = mine.id) THEN
      RAISE EXCEPTION 'kind % has running jobs', detach.kind
        USING ERRCODE = 'object_in_use', HINT = 'Pause the kind and wait until its jobs have ended.';
    END IF;
    FOREACH event IN ARRAY ARRAY['insert', 'update', 'delete', 'truncate', 'parent_update', 'parent_delete'] LOOP
      EXECUTE format('DROP TRIGGER IF EXISTS rowrunner_%s ON %s', event, mine.job_table);
    END LOOP;
    PERFORM rowrunner.unhold_held(mine);
  END IF;
  PERFORM rowrunner.forget_jobs(mine.id);
  DELETE FROM rowrunner.cancellations c USING rowrunner.leases l WHERE l.kind = mine.id AND c.lease = l.lease;
  DELETE FROM rowrunner.leases l WHERE l.kind = mine.id;
  DELETE FROM rowrunner.counters c WHERE c.kind = mine.id;
  DELETE FROM rowrunner.kinds k WHERE k.id = mine.id;
  EXECUTE format('DROP SEQUENCE IF EXISTS rowrunner.wakeup_%1$s, rowrunner.reached_%1$s', mine.kind);
END
$$;

-- A new row of rowrunner.kinds, with the sequences of the kind.
CREATE FUNCTION rowrunner.new_kind(job_table regclass, kind text)
RETURNS rowrunner.kinds LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mine rowrunner.kinds;
BEGIN
  IF new_kind.kind !~ '^[a-z][a-z0-9_]{0,47}$' THEN
    RAISE EXCEPTION 'kind % is not a name of lower case letters, digits and _ (48 at most)',
      quote_literal(new_kind.kind) USING ERRCODE = 'invalid_name';
  END IF;
  EXECUTE format('CREATE SEQUENCE rowrunner.wakeup_%s', new_kind.kind);
  EXECUTE format('CREATE SEQUENCE rowrunner.reached_%s', new_kind.kind);
  INSERT INTO rowrunner.kinds (kind, job_table, cancelled_status, wakeup, reached)
    VALUES (new_kind.kind, new_kind.job_table, 'failed', ('rowrunner.wakeup_' || new_kind.kind)::regclass,
            ('rowrunner.reached_' || new_kind.kind)::regclass)
    RETURNING * INTO mine;
  RETURN mine;
END
$$;

-- The row of rowrunner.kinds for this pair, made if there is none.
CREATE FUNCTION rowrunner.register(job_table regclass, kind text)
RETURNS rowrunner.kinds LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mine rowrunner.kinds;
BEGIN
  IF EXISTS (SELECT FROM rowrunner.kinds k WHERE k.kind = register.kind
             AND NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = k.job_table)) THEN
    RAISE NOTICE 'the table that was attached as % is gone', register.kind;
    PERFORM rowrunner.detach(register.kind);
  END IF;
  SELECT * INTO mine FROM rowrunner.kinds k
    WHERE k.kind = register.kind OR k.job_table = register.job_table;
  IF NOT FOUND THEN
    mine := rowrunner.new_kind(register.job_table, register.kind);
  ELSIF mine.kind <> register.kind OR mine.job_table <> register.job_table THEN
    RAISE EXCEPTION '% is attached as % already, so % cannot be attached as %',
      mine.job_table, mine.kind, register.job_table, register.kind USING ERRCODE = 'duplicate_object';
  END IF;
  RETURN mine;
END
$$;

-- A CHECK on status that does not know 'cancelled' says which word to use instead; what cannot be tried is read.
CREATE FUNCTION rowrunner.cancelled_status_of(job_table regclass) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE
    WHEN rowrunner.refuses_status(job_table, 'cancelled') IS NULL AND NOT EXISTS (
           SELECT FROM pg_constraint c JOIN pg_attribute a
             ON a.attrelid = c.conrelid AND a.attname = 'status' AND a.attnum = ANY (c.conkey)
           WHERE c.conrelid = job_table AND c.contype = 'c'
             AND pg_get_constraintdef(c.oid) LIKE '%''queued''%'
             AND pg_get_constraintdef(c.oid) NOT LIKE '%''cancelled''%') THEN 'cancelled'
    ELSE 'failed' END
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
            -- A member of a superuser can become one.
            HINT = 'Run: ' || CASE WHEN (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = its_owner) THEN ''
                                   ELSE format('GRANT %I TO %I, or: ', its_owner, current_user) END
                   || format('ALTER TABLE %s OWNER TO %I', job_table, current_user);
  END IF;
END
$$;

-- Adds the columns that a table lacks, and says which. Rows that are there get `old_status`, new ones are queued.
-- No row is written or read: a default that is not volatile is kept in the catalog for the rows that are there, and
-- the CHECK is not tried on them. While this waits for its lock everything else on the table waits behind it, so it
-- gives up soon.
CREATE FUNCTION rowrunner.add_job_columns(job_table regclass, old_status text) RETURNS text[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms' AS $$
DECLARE
  added text[];
  clauses text;
BEGIN
  IF NOT EXISTS (SELECT FROM rowrunner.missing_columns(job_table)) THEN
    RETURN '{}';
  END IF;
  BEGIN
    EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', job_table);
  EXCEPTION WHEN lock_not_available THEN
    RAISE EXCEPTION '% is in use, and adding columns would hold up everything that comes after', job_table
      USING ERRCODE = 'lock_not_available', HINT = 'Try again; nothing was changed.',
            DETAIL = (SELECT format('In use by process %s.', coalesce(string_agg(DISTINCT l.pid::text, ', '), '?'))
                      FROM pg_locks l
                      WHERE l.locktype = 'relation' AND l.relation = job_table AND l.granted
                        AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
                        AND l.pid <> pg_backend_pid());
  END;
  SELECT array_agg(m.name),
         string_agg(format('ADD COLUMN %I %s', m.name, m.type) || CASE WHEN m.not_null THEN ' NOT NULL' ELSE '' END
                    || coalesce(' DEFAULT ' || CASE m.name WHEN 'status' THEN quote_literal(old_status)
                                               ELSE m.usual_default END, ''), ', ')
    INTO added, clauses FROM rowrunner.missing_columns(job_table) m;
  IF added IS NULL THEN  -- another session was faster
    RETURN '{}';
  END IF;
  EXECUTE format('ALTER TABLE %s %s', job_table, clauses);
  IF 'status' = ANY (added) THEN
    EXECUTE format('ALTER TABLE %s ALTER COLUMN status SET DEFAULT ''queued'','
                   ' ADD CHECK (status IN (''queued'', ''processing'', ''succeeded'', ''failed'', ''cancelled''))'
                   ' NOT VALID', job_table);
  END IF;
  RAISE NOTICE '% got the columns %', job_table, array_to_string(added, ', ');
  RETURN added;
END
$$;

-- Whether the rows that are there must be looked at for jobs without an entry. Rows that just became succeeded have
-- none, and to read them would take long under a lock that stops all traffic. Says what becomes of them.
CREATE FUNCTION rowrunner.may_lack_entries(job_table regclass, added text[], enqueue_existing boolean,
                                           retention interval) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF pg_relation_size(job_table) = 0 THEN
    RETURN false;
  ELSIF 'status' <> ALL (added) THEN
    IF enqueue_existing THEN
      RAISE NOTICE '% had a column status already: its rows are enqueued if they are queued', job_table;
    END IF;
    RETURN true;
  ELSIF enqueue_existing THEN
    RETURN true;
  END IF;
  RAISE NOTICE 'the rows of % count as succeeded: none of them is enqueued', job_table;
  IF retention IS NOT NULL THEN
    RAISE WARNING 'retention will delete the rows that % has now, % from now on', job_table, retention
      USING HINT = 'Attach it without retention if they are to stay.';
  END IF;
  RETURN false;
END
$$;

-- Says that jobs are about to be deleted, if a retention is new or shorter than before. It reads no row, as the table
-- may be large and is locked.
CREATE FUNCTION rowrunner.warn_of_retention(before rowrunner.kinds, after rowrunner.kinds) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  of_succeeded CONSTANT boolean := after.retention < coalesce(before.retention, after.retention + interval '1 us');
  of_failed CONSTANT boolean :=
    after.failed_retention < coalesce(before.failed_retention, after.failed_retention + interval '1 us');
BEGIN
  IF (of_succeeded OR of_failed) AND pg_relation_size(after.job_table) > 0 THEN
    RAISE WARNING 'retention will delete jobs of % that %, those that are there now included', after.job_table,
      concat_ws(' or ',
        CASE WHEN of_succeeded THEN format('succeeded more than %s ago', after.retention) END,
        CASE WHEN of_failed THEN format('failed or were cancelled more than %s ago', after.failed_retention) END)
      USING HINT = format('Workers begin within seconds. To keep these jobs: rowrunner kinds retention %s%s%s',
                          after.kind, CASE WHEN of_succeeded THEN ' never' END,
                          CASE WHEN of_failed THEN ' --failed never' END);
  END IF;
END
$$;

-- Refuses columns that cannot name the owner of a job, or the id by which others know it.
CREATE FUNCTION rowrunner.refuse_names(job_table regclass, owner name, co_owner name, public_id name) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  problem text;
BEGIN
  SELECT format('%s => %L: ', n.role, n.name) || p.problem INTO problem
  FROM (VALUES ('owner', owner, '{text,uuid}'::regtype[]), ('co_owner', co_owner, '{text,uuid}'),
               ('public_id', public_id, '{text}')) n (role, name, types)
  LEFT JOIN pg_attribute a ON a.attrelid = job_table AND a.attname = n.name AND a.attnum > 0 AND NOT a.attisdropped
  CROSS JOIN LATERAL (SELECT CASE
    WHEN a.attnum IS NULL THEN 'there is no such column'
    WHEN a.atttypid <> ALL (n.types)
      THEN format('the column is %s, must be %s', format_type(a.atttypid, a.atttypmod),
                  array_to_string(n.types, ' or '))
    WHEN n.role <> 'public_id' THEN NULL
    WHEN NOT a.attnotnull THEN 'the column must be NOT NULL'
    WHEN NOT EXISTS (SELECT FROM pg_index i
                     WHERE i.indrelid = job_table AND i.indisunique AND i.indisvalid AND i.indimmediate
                       AND i.indpred IS NULL AND i.indexprs IS NULL AND i.indnkeyatts = 1
                       AND i.indkey[0] = a.attnum)
      THEN format('the column needs a unique index: CREATE UNIQUE INDEX ON %s (%I)', job_table, n.name)
    END AS problem) p
  WHERE n.name IS NOT NULL AND p.problem IS NOT NULL LIMIT 1;
  IF problem IS NOT NULL THEN
    RAISE EXCEPTION '% cannot be attached with %', job_table, problem USING ERRCODE = 'invalid_table_definition';
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
-- `add_columns` adds the columns that the table lacks. If status is one of them, the rows that are there count as
-- succeeded, or with `enqueue_existing` each of them becomes a job.
-- `joins` lets other jobs wait for jobs of this kind (rowrunner.run_after). `owner` and `co_owner` name the columns by
-- which a server checks whose a job is, `public_id` the one by which it finds it.
CREATE FUNCTION rowrunner.attach(job_table regclass, kind text, retention interval DEFAULT NULL,
                                 failed_retention interval DEFAULT NULL, add_columns boolean DEFAULT false,
                                 enqueue_existing boolean DEFAULT false, joins boolean DEFAULT NULL,
                                 owner name DEFAULT NULL, public_id name DEFAULT NULL,
                                 co_owner name DEFAULT NULL)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  before rowrunner.kinds;
  mine rowrunner.kinds;
  added text[] := '{}';
  unleased bigint;
BEGIN
  -- The lock lets no uncommitted row pass, but an older snapshot would not see what was committed since.
  IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
    RAISE EXCEPTION 'attach would miss jobs under %', upper(current_setting('transaction_isolation'))
      USING ERRCODE = 'active_sql_transaction',
            HINT = 'Call it in a transaction that begins with BEGIN ISOLATION LEVEL READ COMMITTED.';
  END IF;
  IF attach.enqueue_existing AND NOT attach.add_columns THEN
    RAISE EXCEPTION 'enqueue_existing is for add_columns => true: other rows are enqueued if they are queued'
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF attach.retention <= interval '0' OR attach.failed_retention <= interval '0' THEN
    RAISE EXCEPTION 'retention is % and failed_retention is %, must be more than 0',
      coalesce(attach.retention::text, 'NULL'), coalesce(attach.failed_retention::text, 'NULL')
      USING ERRCODE = 'invalid_parameter_value', HINT = 'Leave them out to keep all jobs.';
  END IF;
  PERFORM rowrunner.refuse_stranger(attach.job_table);
  PERFORM rowrunner.refuse_unfit(attach.job_table, attach.add_columns);
  IF attach.add_columns THEN
    added := rowrunner.add_job_columns(attach.job_table,
                                       CASE WHEN attach.enqueue_existing THEN 'queued' ELSE 'succeeded' END);
  END IF;
  EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', attach.job_table);
  PERFORM rowrunner.refuse_unfit(attach.job_table);
  PERFORM rowrunner.refuse_names(attach.job_table, attach.owner, attach.co_owner, attach.public_id);

  before := rowrunner.register(attach.job_table, attach.kind);
  IF before.joins AND NOT attach.joins THEN
    RAISE EXCEPTION 'kind % was attached with joins, which cannot be undone', before.kind
      USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Detach it first.';
  END IF;
  UPDATE rowrunner.kinds k
    SET retention = coalesce(attach.retention, k.retention),
        failed_retention = coalesce(attach.failed_retention, k.failed_retention),
        cancelled_status = rowrunner.cancelled_status_of(attach.job_table),
        joins = coalesce(attach.joins, k.joins),
        owner_column = coalesce(attach.owner, k.owner_column),
        co_owner_column = coalesce(attach.co_owner, k.co_owner_column),
        public_id_column = coalesce(attach.public_id, k.public_id_column)
    WHERE k.id = before.id
    RETURNING k.* INTO mine;
  PERFORM rowrunner.equip(mine);
  IF 'status' <> ALL (added) THEN  -- may_lack_entries says it of rows that just became jobs
    PERFORM rowrunner.warn_of_retention(before, mine);
  END IF;
  IF rowrunner.may_lack_entries(attach.job_table, added, attach.enqueue_existing, attach.retention) THEN
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
