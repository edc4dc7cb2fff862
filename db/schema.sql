-- What db/migrations/engine makes of an empty database; written by scripts/dump-schema.
CREATE SCHEMA rowrunner;
CREATE FUNCTION rowrunner.add_job_columns(job_table regclass, old_status text) RETURNS text[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '200ms'
    AS $$
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
CREATE FUNCTION rowrunner.add_missing(kind_id smallint, OUT queued bigint, OUT delayed bigint, OUT failed bigint, OUT lost bigint, OUT unleased bigint) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_nestloop TO 'off'
    SET jit TO 'off'
    AS $$
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
CREATE FUNCTION rowrunner.add_step(kind text, job_id uuid, lease bigint, step text, result jsonb DEFAULT 'null'::jsonb) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
  mine rowrunner.kinds := rowrunner.kind_named(add_step.kind);
  held boolean;
  n integer;
BEGIN
  PERFORM rowrunner.refuse_unless(add_step.step <> '', 'step is NULL or empty, must be a name',
                                  'A later attempt finds the result by this name.');
  PERFORM rowrunner.refuse_unless(octet_length(add_step.step) <= 1000,
                                  format('the name of the step has %s bytes, must have at most 1000',
                                         octet_length(add_step.step)),
                                  'Put what it is about into the result.');
  EXECUTE format('SELECT true FROM %s j WHERE j.id = $1 AND j.status = ''processing'' AND j.lease = $2'
                 ' FOR NO KEY UPDATE', mine.job_table)
    INTO held USING add_step.job_id, add_step.lease;
  IF held IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO rowrunner.steps AS s (kind, job_id, step, result)
    VALUES (mine.id, add_step.job_id, add_step.step, coalesce(add_step.result, 'null'))
    ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n = 1;
END
$_$;
CREATE FUNCTION rowrunner.attach(job_table regclass, kind text, retention interval DEFAULT NULL::interval, failed_retention interval DEFAULT NULL::interval, add_columns boolean DEFAULT false, enqueue_existing boolean DEFAULT false, joins boolean DEFAULT NULL::boolean, owner name DEFAULT NULL::name, public_id name DEFAULT NULL::name, co_owner name DEFAULT NULL::name) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION rowrunner.attach_problems(job_table regclass, add_columns boolean DEFAULT false) RETURNS SETOF text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT rowrunner.table_problems(job_table)
  UNION ALL
  SELECT format('column %s is missing (%s%s)', m.name, m.type, CASE WHEN m.not_null THEN ' NOT NULL' ELSE '' END)
  FROM rowrunner.missing_columns(job_table) m WHERE NOT add_columns OR m.name = 'id'
  UNION ALL SELECT rowrunner.column_problems(job_table)
  UNION ALL
  SELECT format('index %s uses column %s, which changes while a job runs: drop the index%s',
                i.index_name, i.column_name,
                CASE WHEN i.is_unique THEN ' (for one job per key make the key alone unique;'
                  ' rowrunner.enqueue_again runs a job that has ended once more)' ELSE '' END)
  FROM rowrunner.changing_indexes(job_table) i
  UNION ALL SELECT rowrunner.value_problems(job_table)
$$;
CREATE FUNCTION rowrunner.cancel(kind text, job_id uuid, reason text DEFAULT NULL::text, cascade boolean DEFAULT false) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  mine rowrunner.kinds := rowrunner.kind_named(cancel.kind);
  why text := 'cancelled' || coalesce(': ' || nullif(cancel.reason, ''), '');
  found_status text;
  found_lease bigint;
BEGIN
  IF cancel.cascade THEN
    PERFORM rowrunner.cancel(a.kind, a.id, cancel.reason) FROM rowrunner.jobs_after(mine.id, cancel.job_id) a;
  END IF;
  SELECT r.found_status, r.found_lease INTO found_status, found_lease
    FROM rowrunner.cancel_row(mine.job_table, cancel.job_id, mine.cancelled_status, why) r;
  IF found_status = 'queued' THEN
    RETURN 'cancelled';
  ELSIF found_status = 'processing' THEN
    INSERT INTO rowrunner.cancellations (lease, job_id, reason)
      VALUES (found_lease, cancel.job_id, why) ON CONFLICT DO NOTHING;
    RETURN 'requested';
  END IF;
  RETURN found_status;
END
$$;
CREATE TABLE rowrunner.waits (
    child_kind smallint NOT NULL,
    child_id uuid NOT NULL,
    run_at timestamp with time zone NOT NULL,
    when_failed text NOT NULL,
    at_latest timestamp with time zone,
    parents integer NOT NULL,
    cancel_reason text,
    CONSTRAINT waits_when_failed_check CHECK ((when_failed = ANY (ARRAY['run'::text, 'cancel'::text, 'hold'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_cost_delay='0');
CREATE FUNCTION rowrunner.cancel_reason_of(waiting rowrunner.waits, noted tid[]) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF waiting.cancel_reason IS NOT NULL OR waiting.when_failed <> 'cancel' THEN
    RETURN waiting.cancel_reason;
  END IF;
  RETURN (
    SELECT format('cancelled: job %s of kind %s, which it waited for, did not succeed', c.parent_id,
                  coalesce(k.kind, c.parent_kind::text))
    FROM rowrunner.join_candidates c LEFT JOIN rowrunner.kinds k ON k.id = c.parent_kind
    WHERE c.ctid = ANY (noted) AND c.failed LIMIT 1);
END
$$;
CREATE FUNCTION rowrunner.cancel_requested(job_id uuid, lease bigint) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  SELECT EXISTS (SELECT FROM rowrunner.cancellations c WHERE c.lease = $2 AND c.job_id = $1)
$_$;
CREATE FUNCTION rowrunner.cancel_row(job_table regclass, job_id uuid, new_status text, reason text, OUT found_status text, OUT found_lease bigint) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
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
$_$;
CREATE FUNCTION rowrunner.cancelled_status_of(job_table regclass) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT CASE
    WHEN rowrunner.refuses_status(job_table, 'cancelled') IS NULL AND NOT EXISTS (
           SELECT FROM pg_constraint c JOIN pg_attribute a
             ON a.attrelid = c.conrelid AND a.attname = 'status' AND a.attnum = ANY (c.conkey)
           WHERE c.conrelid = job_table AND c.contype = 'c'
             AND pg_get_constraintdef(c.oid) LIKE '%''queued''%'
             AND pg_get_constraintdef(c.oid) NOT LIKE '%''cancelled''%') THEN 'cancelled'
    ELSE 'failed' END
$$;
CREATE FUNCTION rowrunner.changing_indexes(job_table regclass) RETURNS TABLE(index_name regclass, column_name name, is_unique boolean)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT DISTINCT d.objid::regclass, a.attname, i.indisunique
  FROM pg_index i
  JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = i.indexrelid
                  AND d.refclassid = 'pg_class'::regclass AND d.refobjid = i.indrelid
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = d.refobjsubid
  WHERE i.indrelid = job_table
    AND a.attname IN ('status', 'attempts', 'last_error', 'updated_at', 'locked_at', 'locked_by',
                      'lease', 'priority', 'run_at')
$$;
CREATE TABLE rowrunner.kinds (
    id smallint NOT NULL,
    kind text NOT NULL,
    job_table regclass NOT NULL,
    cancelled_status text NOT NULL,
    wakeup regclass NOT NULL,
    reached regclass NOT NULL,
    paused boolean DEFAULT false NOT NULL,
    retention interval,
    failed_retention interval,
    joins boolean DEFAULT false NOT NULL,
    owner_column name,
    co_owner_column name,
    public_id_column name,
    attached_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT kinds_cancelled_status_check CHECK ((cancelled_status = ANY (ARRAY['cancelled'::text, 'failed'::text]))),
    CONSTRAINT kinds_failed_retention_check CHECK ((failed_retention > '00:00:00'::interval)),
    CONSTRAINT kinds_kind_check CHECK ((kind ~ '^[a-z][a-z0-9_]{0,47}$'::text)),
    CONSTRAINT kinds_retention_check CHECK ((retention > '00:00:00'::interval))
);
CREATE FUNCTION rowrunner.check_join(child rowrunner.kinds, child_id uuid, parent rowrunner.kinds, parent_ids uuid[], when_failed text, at_latest interval) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  problem CONSTANT text := CASE
    WHEN child_id IS NULL THEN 'child_id is NULL'
    WHEN parent_ids IS NULL THEN 'parent_ids is NULL: an empty list is ''{}'''
    WHEN cardinality(parent_ids) > 100000
      THEN format('%s parents were named: a job can wait for 100000 at most', cardinality(parent_ids))
    WHEN array_position(parent_ids, NULL) IS NOT NULL THEN 'one of the parent_ids is NULL'
    WHEN parent.id = child.id AND child_id = ANY (parent_ids)
      THEN format('job %s cannot wait for itself', child_id)
    WHEN when_failed NOT IN ('run', 'cancel', 'hold')
      THEN format('when_failed is %L: it must be run, cancel or hold', when_failed)
    WHEN at_latest < interval '0' THEN format('at_latest is %s: it must not be negative', at_latest) END;
BEGIN
  IF problem IS NOT NULL THEN
    RAISE EXCEPTION 'run_after: %', problem USING ERRCODE = 'invalid_parameter_value';
  ELSIF NOT parent.joins THEN
    RAISE EXCEPTION 'jobs of kind % cannot be waited for: it was attached without joins', parent.kind
      USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = format('SELECT rowrunner.attach(%L, kind => %L, joins => true)', parent.job_table::text,
                          parent.kind);
  END IF;
END
$$;
CREATE FUNCTION rowrunner.check_lease_for(lease_for interval) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  PERFORM rowrunner.refuse_unless(
    lease_for > interval '0' AND lease_for <= interval '1 day',
    format('lease_for is %s, must be more than 0 and at most a day', coalesce(lease_for::text, 'NULL')),
    'A lease is kept by heartbeats: 10 to 60 seconds are usual.');
END
$$;
CREATE FUNCTION rowrunner.child_row(job_table regclass, job_id uuid, OUT found_status text, OUT found_run_at timestamp with time zone, OUT written_here boolean) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'off'
    AS $_$
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
$_$;
CREATE FUNCTION rowrunner.claim(kind text, worker text, at_most integer DEFAULT 1, lease_for interval DEFAULT '00:00:10'::interval) RETURNS SETOF jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'off'
    SET lock_timeout TO '100ms'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $_$
DECLARE
  mine rowrunner.kinds := rowrunner.kind_named(claim.kind);
  lease CONSTANT bigint := rowrunner.new_lease();
  batch integer := claim.at_most;
  priority smallint := -32768;
  seq bigint := -9223372036854775808;
  seen integer;
  jobs jsonb[];
  put_off integer := 0;
  rescued integer := 0;
  failed integer := 0;
  lost record;
BEGIN
  PERFORM rowrunner.refuse_unless(claim.worker <> '', 'worker is NULL or empty, must be a name',
                                  'Give each process a name of its own, as in python:host:pid.');
  PERFORM rowrunner.refuse_unless(claim.at_most > 0,
                                  format('at_most is %s, must be 1 or more', coalesce(claim.at_most::text, 'NULL')),
                                  'It says how many jobs to claim.');
  PERFORM rowrunner.check_lease_for(claim.lease_for);
  PERFORM rowrunner.worker_seen(claim.worker, mine.kind);
  IF mine.paused THEN
    RETURN;
  END IF;
  PERFORM rowrunner.move_due(ARRAY[mine.id]);
  FOR lost IN SELECT * FROM rowrunner.rescue(mine.id) LOOP
    IF lost.error IS NULL THEN
      rescued := rescued + 1;
      failed := failed + (lost.status = 'failed' AND NOT lost.cancelled)::integer;
    ELSE
      RAISE WARNING 'job % of a lost worker cannot be taken back: %', lost.job_id, lost.error;
    END IF;
  END LOOP;
  -- A rescue may have been the last end that a job waited for.
  PERFORM rowrunner.fire_noted(ARRAY[mine.id]);
  WHILE jobs IS NULL AND seen IS DISTINCT FROM 0 AND put_off < 20 LOOP
    BEGIN
      SELECT * INTO seen, priority, seq
        FROM rowrunner.claim_free(mine.id, priority, seq, batch, lease, claim.worker, claim.lease_for);
      EXECUTE format($sql$
        SELECT array_agg(to_jsonb(j.*) || jsonb_build_object('lease', l.lease::text) ORDER BY n.position)
        FROM rowrunner.leases l CROSS JOIN unnest(l.job_ids) WITH ORDINALITY n (id, position)
        JOIN %s j ON j.id = n.id WHERE l.lease = $1 $sql$, mine.job_table) INTO jobs USING lease;
      IF jobs IS NULL AND seen > 0 THEN
        PERFORM rowrunner.drop_stale_entries(mine, priority, seq);
      END IF;
    EXCEPTION WHEN OTHERS THEN
      IF NOT rowrunner.concerns_one_row(SQLSTATE) THEN
        RAISE;
      ELSIF batch > 1 THEN
        batch := 1;
      ELSE
        put_off := put_off + 1;
        EXIT WHEN NOT rowrunner.put_off_entry(mine, priority, seq, SQLSTATE, SQLERRM);
      END IF;
    END;
  END LOOP;
  IF rescued > 0 OR jobs IS NOT NULL THEN
    PERFORM rowrunner.count_jobs(mine.id, claim.worker, rescued => rescued, failed => failed,
                                 claimed => coalesce(cardinality(jobs), 0));
  END IF;
  RETURN QUERY SELECT unnest(jobs);
END
$_$;
CREATE FUNCTION rowrunner.claim_each(kind_id smallint, behind_priority smallint, behind_seq bigint, at_most integer, lease bigint, worker text, lease_ms bigint, OUT seen integer, OUT last_priority smallint, OUT last_seq bigint, OUT cut boolean, OUT failed integer, OUT error text) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'off'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE
  mine rowrunner.kinds;
  entry rowrunner.queue;
  verdict text;
  due timestamptz;
  ids uuid[] := '{}';
  message text;
  first_state text;
  first_error text;
  of_the_table boolean := true;
BEGIN
  seen := 0;
  failed := 0;
  cut := false;
  SELECT * INTO mine FROM rowrunner.kinds k WHERE k.id = claim_each.kind_id AND NOT k.paused;
  -- A deferred check would fail at COMMIT, which does not tell the row.
  SET CONSTRAINTS ALL IMMEDIATE;
  FOR entry IN
    SELECT * FROM rowrunner.queue q
    WHERE q.kind = mine.id AND (q.priority, q.seq) > (behind_priority, behind_seq)
    ORDER BY q.kind, q.priority, q.seq LIMIT at_most FOR UPDATE SKIP LOCKED
  LOOP
    seen := seen + 1;
    last_priority := entry.priority;
    last_seq := entry.seq;
    message := 'the UPDATE that takes the job changed no row: does a trigger suppress it?';
    BEGIN
      SELECT c.verdict, c.run_at INTO verdict, due
        FROM rowrunner.claim_one(mine.job_table, entry.job_id, entry.priority, claim_each.lease,
                                 claim_each.worker) c;
    EXCEPTION
      WHEN lock_not_available OR deadlock_detected OR serialization_failure THEN
        cut := true;  -- A trigger of the row waits for something; one such wait per call is enough.
        EXIT;
      WHEN assert_failure OR OTHERS THEN
        IF SQLSTATE ~ '^(53|57)' THEN
          RAISE;
        END IF;
        verdict := 'failed';
        message := format('%s (SQLSTATE %s)', SQLERRM, SQLSTATE);
        first_state := coalesce(first_state, SQLSTATE);
        first_error := coalesce(first_error, SQLERRM);
        of_the_table := of_the_table AND SQLSTATE LIKE '42%';
    END;
    CONTINUE WHEN verdict = 'locked';
    DELETE FROM rowrunner.queue q
      WHERE q.kind = entry.kind AND q.priority = entry.priority AND q.seq = entry.seq;
    IF verdict = 'taken' THEN
      ids := ids || entry.job_id;
    ELSIF verdict IN ('early', 'failed') THEN
      IF verdict = 'failed' THEN
        failed := failed + 1;
        error := coalesce(error, message);
        due := rowrunner.pass_over(entry.kind, entry.job_id, message);
      END IF;
      INSERT INTO rowrunner.delayed (kind, run_at, priority, job_id)
        VALUES (entry.kind, due, entry.priority, entry.job_id);
    END IF;
  END LOOP;
  IF cardinality(ids) > 0 THEN
    INSERT INTO rowrunner.leases (lease, kind, worker, expires_at, job_ids)
      VALUES (claim_each.lease, mine.id, claim_each.worker,
              clock_timestamp() + claim_each.lease_ms * interval '1 ms', ids);
  ELSIF first_state IS NOT NULL AND of_the_table THEN
    RAISE EXCEPTION USING ERRCODE = first_state, MESSAGE = first_error;
  END IF;
END
$$;
CREATE FUNCTION rowrunner.claim_free(kind_id smallint, behind_priority smallint, behind_seq bigint, at_most integer, lease bigint, worker text, lease_for interval, OUT seen integer, OUT last_priority smallint, OUT last_seq bigint) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
  mine rowrunner.kinds;
BEGIN
  SELECT * INTO mine FROM rowrunner.kinds k WHERE k.id = claim_free.kind_id AND NOT k.paused;
  IF NOT FOUND THEN
    seen := 0;
    RETURN;
  END IF;
  EXECUTE format($sql$
    WITH entry AS MATERIALIZED (
      SELECT q.ctid AS address, q.priority, q.seq, q.job_id FROM rowrunner.queue q
      WHERE q.kind = $1 AND (q.priority, q.seq) > ($2, $3)
      ORDER BY q.kind, q.priority, q.seq LIMIT $4 FOR UPDATE SKIP LOCKED
    ), free AS MATERIALIZED (
      SELECT j.id FROM %1$s j WHERE j.id = ANY (ARRAY(SELECT e.job_id FROM entry e))
      FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM rowrunner.queue q WHERE q.ctid = ANY (ARRAY(
        SELECT e.address FROM entry e
        WHERE EXISTS (SELECT FROM free f WHERE f.id = e.job_id)
           OR NOT EXISTS (SELECT FROM %1$s j WHERE j.id = e.job_id)))
    ), taken AS (
      UPDATE %1$s j
      SET status = 'processing', lease = $5, locked_at = now(), locked_by = $6, updated_at = now()
      FROM entry e JOIN free f ON f.id = e.job_id
      WHERE j.id = e.job_id
        AND CASE WHEN j.status = 'queued' AND j.priority = e.priority THEN j.run_at <= clock_timestamp() END
      RETURNING CASE WHEN j.status = 'processing' AND j.lease = $5 THEN j.id
                     ELSE rowrunner.refuse_claim(j.id) END AS id, e.priority, e.seq
    ), batch AS MATERIALIZED (
      SELECT array_agg(t.id ORDER BY t.priority, t.seq) AS ids FROM taken t
    ), leased AS (
      INSERT INTO rowrunner.leases (lease, kind, worker, expires_at, job_ids, lease_for)
      SELECT $5, $1, $6, clock_timestamp() + $7, b.ids, $7 FROM batch b WHERE b.ids IS NOT NULL
    ), untaken AS MATERIALIZED (
      SELECT array_agg(f.id) AS ids, array_agg(e.priority) AS priorities
      FROM entry e JOIN free f ON f.id = e.job_id
      WHERE (SELECT f.id = ANY (b.ids) FROM batch b) IS NOT TRUE
    ), set_aside AS MATERIALIZED (
      SELECT CASE WHEN u.ids IS NOT NULL THEN rowrunner.set_aside_untaken($1, %1$L, u.ids, u.priorities) END
      FROM untaken u
    )
    SELECT (SELECT count(*) FROM entry e), last.priority, last.seq
    FROM set_aside LEFT JOIN LATERAL (
      SELECT e.priority, e.seq FROM entry e ORDER BY e.priority DESC, e.seq DESC LIMIT 1) last ON true
    $sql$, mine.job_table)
  INTO seen, last_priority, last_seq
  USING mine.id, behind_priority, behind_seq, at_most, claim_free.lease, claim_free.worker, claim_free.lease_for;
END
$_$;
CREATE FUNCTION rowrunner.claim_one(job_table regclass, id uuid, entry_priority smallint, lease bigint, worker text, OUT verdict text, OUT run_at timestamp with time zone) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
  matches boolean;
  n integer;
BEGIN
  EXECUTE format('SELECT t.status = ''queued'' AND t.priority = $2, t.run_at FROM %s t WHERE t.id = $1'
                 ' FOR UPDATE SKIP LOCKED', job_table) INTO matches, run_at USING id, entry_priority;
  IF matches IS NULL THEN
    EXECUTE format('SELECT FROM %s t WHERE t.id = $1', job_table) USING id;
    GET DIAGNOSTICS n = ROW_COUNT;
    verdict := CASE n WHEN 0 THEN 'stale' ELSE 'locked' END;
  ELSIF NOT matches OR run_at = 'infinity' THEN
    verdict := 'stale';
  ELSIF run_at > clock_timestamp() THEN
    verdict := 'early';
  ELSE
    EXECUTE format('UPDATE %s SET status = ''processing'', lease = $2, locked_at = now(), locked_by = $3,'
                   ' updated_at = now() WHERE id = $1'
                   ' RETURNING CASE WHEN status = ''processing'' AND lease = $2 THEN id'
                   '                ELSE rowrunner.refuse_claim(id) END', job_table) USING id, lease, worker;
    GET DIAGNOSTICS n = ROW_COUNT;
    verdict := CASE n WHEN 0 THEN 'failed' ELSE 'taken' END;
  END IF;
END
$_$;
CREATE FUNCTION rowrunner.clear_lease_of_row(job_table regclass, job_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
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
$_$;
CREATE FUNCTION rowrunner.column_problems(job_table regclass) RETURNS SETOF text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  WITH needed AS (
    SELECT c.*, a.attname, a.attnotnull, a.atthasdef, a.attgenerated, a.attidentity,
           format_type(a.atttypid, a.atttypmod) AS found, format_type(a.atttypid, NULL) AS found_type
    FROM rowrunner.job_columns() WITH ORDINALITY c (name, type, not_null, default_needed, usual_default, n)
    JOIN pg_attribute a ON a.attrelid = job_table AND a.attname = c.name AND NOT a.attisdropped
    ORDER BY c.n
  )
  SELECT format('column %s is %s, must be %s', name, found, type)
         || CASE WHEN name = 'id' AND found IN ('bigint', 'integer', 'smallint')
                 THEN ': keep the number as a further column' ELSE '' END
  FROM needed WHERE found_type <> type
  UNION ALL
  SELECT format('column %s must be NOT NULL', name) FROM needed WHERE not_null AND NOT attnotnull
  UNION ALL
  SELECT format('column %s is %s, but the engine writes it', name,
                CASE WHEN attgenerated <> '' THEN 'generated' ELSE 'an identity column' END)
  FROM needed WHERE attgenerated <> '' OR attidentity <> ''
  UNION ALL
  SELECT format('column %s needs a default', name)
  FROM needed WHERE default_needed AND NOT atthasdef AND attidentity = ''
  UNION ALL
  SELECT 'id must be the primary key'
  FROM needed WHERE name = 'id'
    AND NOT EXISTS (SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = job_table AND a.attname = 'id'
                    WHERE i.indrelid = job_table AND i.indisprimary AND i.indimmediate
                      AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum)
$$;
CREATE FUNCTION rowrunner.concerns_one_row(state text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((state <> '40001'::text) AND ("left"(state, 2) <> ALL (ARRAY['0A'::text, '25'::text, '26'::text, '42'::text, '53'::text, '57'::text, '58'::text])));
CREATE FUNCTION rowrunner.count_jobs(kind_id smallint, worker text, claimed integer DEFAULT 0, succeeded integer DEFAULT 0, failed integer DEFAULT 0, retried integer DEFAULT 0, rescued integer DEFAULT 0, released integer DEFAULT 0) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  this_minute CONSTANT timestamptz := date_trunc('minute', clock_timestamp());
  own text := format('%s#%s', count_jobs.worker, pg_backend_pid());
BEGIN
  PERFORM FROM rowrunner.counters o
    WHERE o.minute = this_minute AND o.kind = count_jobs.kind_id AND o.worker = own
    FOR UPDATE SKIP LOCKED;
  IF NOT FOUND AND EXISTS (SELECT FROM rowrunner.counters o
                           WHERE o.minute = this_minute AND o.kind = count_jobs.kind_id
                             AND o.worker = own) THEN
    own := format('%s#%s', own, pg_current_xact_id());
  END IF;
  INSERT INTO rowrunner.counters AS c
    (minute, kind, worker, claimed, succeeded, failed, retried, rescued, released)
    VALUES (this_minute, count_jobs.kind_id, own, count_jobs.claimed, count_jobs.succeeded,
            count_jobs.failed, count_jobs.retried, count_jobs.rescued, count_jobs.released)
    ON CONFLICT ON CONSTRAINT counters_pkey DO UPDATE
    SET claimed = c.claimed + excluded.claimed, succeeded = c.succeeded + excluded.succeeded,
        failed = c.failed + excluded.failed, retried = c.retried + excluded.retried,
        rescued = c.rescued + excluded.rescued, released = c.released + excluded.released;
END
$$;
CREATE FUNCTION rowrunner.detach(kind text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
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
$_$;
CREATE FUNCTION rowrunner.drop_stale_entries(mine rowrunner.kinds, priority smallint, seq bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
BEGIN
  EXECUTE format($sql$
    WITH entry AS MATERIALIZED (
      SELECT q.ctid AS address, q.priority, q.job_id FROM rowrunner.queue q
      WHERE q.kind = $1 AND (q.priority, q.seq) > ($2, $3)
      ORDER BY q.kind, q.priority, q.seq LIMIT 1000 FOR UPDATE SKIP LOCKED
    )
    DELETE FROM rowrunner.queue q WHERE q.ctid = ANY (ARRAY(
      SELECT e.address FROM entry e LEFT JOIN %s j ON j.id = e.job_id
      WHERE CASE WHEN j.status = 'queued' THEN j.priority = e.priority END IS NOT TRUE)) $sql$,
    mine.job_table)
    USING mine.id, drop_stale_entries.priority, drop_stale_entries.seq;
END
$_$;
CREATE FUNCTION rowrunner.end_cancelled_row(job_table regclass, job_id uuid, new_status text, reason text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
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
$_$;
CREATE FUNCTION rowrunner.enqueue_again(kind text, job_id uuid, run_at timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  RETURN rowrunner.requeue_row((rowrunner.kind_named(enqueue_again.kind)).job_table, enqueue_again.job_id,
                               '{succeeded,failed,cancelled}', enqueue_again.run_at);
END
$$;
CREATE FUNCTION rowrunner.equip(mine rowrunner.kinds) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION rowrunner.fail(kind text, job_id uuid, lease bigint, error text, retry_after interval DEFAULT '00:00:01'::interval, final boolean DEFAULT false) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
  mine rowrunner.kinds := rowrunner.kind_named(fail.kind);
  child_kinds CONSTANT smallint[] := CASE WHEN mine.joins THEN rowrunner.kinds_after(mine.id, fail.job_id) END;
  ended record;
BEGIN
  PERFORM rowrunner.refuse_unless(fail.error IS NOT NULL, 'error is NULL, must be a text',
                                  'It says why the job failed, in last_error and in rowrunner.attempts.');
  PERFORM rowrunner.refuse_unless(fail.retry_after >= interval '0',
                                  format('retry_after is %s, must be 0 or more',
                                         coalesce(fail.retry_after::text, 'NULL')),
                                  'Leave it out for a second; final => true ends the job without a retry.');
  PERFORM rowrunner.refuse_unless(fail.final IS NOT NULL, 'final is NULL, must be true or false',
                                  'True ends the job without a retry.');
  PERFORM FROM rowrunner.leases l WHERE l.lease = fail.lease FOR UPDATE;
  EXECUTE format($sql$
    WITH ended AS (
      UPDATE %s j
      SET attempts = least(j.attempts, 2147483646) + 1, last_error = coalesce(c.reason, $3),
          updated_at = now(), run_at = now() + $4, lease = NULL, locked_at = NULL, locked_by = NULL,
          status = CASE WHEN c.reason IS NOT NULL THEN $6
                        WHEN $5 OR least(j.attempts, 2147483646) + 1 >= j.max_attempts THEN 'failed'
                        ELSE 'queued' END
      FROM (SELECT b.id, b.locked_by, b.locked_at FROM %1$s b WHERE b.id = $1) before
      LEFT JOIN rowrunner.cancellations c ON c.lease = $2 AND c.job_id = $1
      WHERE j.id = before.id AND j.status = 'processing' AND j.lease = $2
      RETURNING j.id, CASE WHEN j.status <> 'processing' THEN j.status
                           ELSE rowrunner.refuse_end(j.id) END AS status,
                j.attempts, before.locked_by, before.locked_at, c.reason
    ), noted AS (
      INSERT INTO rowrunner.attempts (kind, job_id, attempt, worker, started_at, error)
      SELECT $7, e.id, e.attempts, e.locked_by, e.locked_at, $3 FROM ended e
    )
    SELECT e.status, coalesce(e.locked_by, '') AS worker, e.reason FROM ended e $sql$, mine.job_table)
  INTO ended USING fail.job_id, fail.lease, fail.error, fail.retry_after, fail.final,
                   mine.cancelled_status, mine.id;
  IF ended.status IS NULL THEN
    RETURN NULL;
  END IF;
  PERFORM rowrunner.strike_from_lease(fail.lease, fail.job_id);
  IF ended.reason IS NULL THEN
    PERFORM rowrunner.count_jobs(mine.id, ended.worker, failed => (ended.status = 'failed')::integer,
                                 retried => (ended.status = 'queued')::integer);
  END IF;
  IF child_kinds <> '{}' AND ended.status <> 'queued' THEN
    PERFORM rowrunner.fire_noted(child_kinds);
  END IF;
  RETURN ended.status;
END
$_$;
CREATE FUNCTION rowrunner.fire_child(waiting rowrunner.waits) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  mine rowrunner.kinds;
  noted tid[];
  reason text;
  state text;
BEGIN
  noted := ARRAY(SELECT c.ctid FROM rowrunner.join_candidates c
                 WHERE c.child_kind = waiting.child_kind AND c.child_id = waiting.child_id);
  DELETE FROM rowrunner.edges WHERE ctid = ANY (ARRAY(
    SELECT e.ctid FROM rowrunner.join_candidates c
    JOIN rowrunner.edges e ON e.parent_kind = c.parent_kind AND e.parent_id = c.parent_id
                          AND e.child_kind = c.child_kind AND e.child_id = c.child_id
    WHERE c.ctid = ANY (noted) FOR UPDATE OF e SKIP LOCKED));
  reason := rowrunner.cancel_reason_of(waiting, noted);
  IF reason IS NULL AND (waiting.at_latest > clock_timestamp()) IS NOT FALSE
     AND EXISTS (SELECT FROM rowrunner.edges e
                 WHERE e.child_kind = waiting.child_kind AND e.child_id = waiting.child_id) THEN
    -- A candidate whose edge is locked still is one.
    DELETE FROM rowrunner.join_candidates c
      WHERE c.ctid = ANY (noted) AND NOT EXISTS (
        SELECT FROM rowrunner.edges e
        WHERE e.parent_kind = c.parent_kind AND e.parent_id = c.parent_id
          AND e.child_kind = c.child_kind AND e.child_id = c.child_id);
    RETURN 'waits';
  END IF;
  SELECT k.* INTO mine FROM rowrunner.kinds k JOIN pg_class c ON c.oid = k.job_table
    WHERE k.id = waiting.child_kind;
  IF FOUND THEN
    state := rowrunner.free_row(mine.job_table, waiting.child_id);
  END IF;
  IF state = 'locked' THEN
    RETURN 'locked';
  END IF;
  IF state = 'queued' AND reason IS NOT NULL THEN
    PERFORM rowrunner.cancel_row(mine.job_table, waiting.child_id, mine.cancelled_status, reason);
  END IF;
  -- Before the row changes: while there is a waits row, a trigger would hold it again.
  PERFORM rowrunner.forget_wait(waiting.child_kind, waiting.child_id);
  DELETE FROM rowrunner.join_candidates c WHERE c.ctid = ANY (noted);
  IF state = 'queued' AND reason IS NULL THEN
    PERFORM rowrunner.unhold_row(mine.job_table, waiting.child_id, waiting.run_at);
  END IF;
  RETURN 'fired';
END
$$;
CREATE FUNCTION rowrunner.fire_deferred() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
$$;
CREATE FUNCTION rowrunner.fire_joins(at_most integer DEFAULT 100) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  fired integer := 0;
  kind_id smallint := 0;
BEGIN
  PERFORM rowrunner.note_missed_ends();
  LOOP
    kind_id := (SELECT min(k) FROM rowrunner.kinds_to_fire() k WHERE k > kind_id);
    EXIT WHEN kind_id IS NULL OR fired >= at_most;
    fired := fired + (SELECT f.fired FROM rowrunner.fire_joins_of(kind_id, at_most - fired) f);
  END LOOP;
  RETURN fired;
END
$$;
CREATE FUNCTION rowrunner.fire_joins_of(kind_id smallint, at_most integer DEFAULT 100, OUT fired integer, OUT trouble text) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET lock_timeout TO '100ms'
    AS $$
DECLARE
  until CONSTANT timestamptz := clock_timestamp() + interval '500 milliseconds';
  overdue boolean;
  ready rowrunner.waits[];
  waiting rowrunner.waits;
  verdict text;
BEGIN
  fired := 0;
  IF rowrunner.snapshot_may_be_old() THEN
    RETURN;
  END IF;
  FOREACH overdue IN ARRAY '{false,true}'::boolean[] LOOP
    waiting := NULL;
    WHILE trouble IS NULL AND fired < at_most AND clock_timestamp() < until LOOP
      ready := CASE WHEN overdue THEN ARRAY(SELECT w FROM rowrunner.lock_overdue(kind_id, waiting, at_most) w)
                    ELSE ARRAY(SELECT w FROM rowrunner.lock_candidates(kind_id, waiting, at_most) w) END;
      EXIT WHEN cardinality(ready) = 0;
      FOREACH waiting IN ARRAY ready LOOP
        EXIT WHEN clock_timestamp() > until;
        SELECT f.verdict, f.reason INTO verdict, trouble FROM rowrunner.try_to_fire(waiting) f;
        fired := fired + (verdict = 'fired')::integer;
        EXIT WHEN trouble IS NOT NULL;
      END LOOP;
    END LOOP;
  END LOOP;
  -- Of children that wait no longer.
  DELETE FROM rowrunner.join_candidates WHERE ctid = ANY (ARRAY(
    SELECT c.ctid FROM rowrunner.join_candidates c
    WHERE c.child_kind = kind_id
      AND NOT EXISTS (SELECT FROM rowrunner.waits w WHERE w.child_kind = c.child_kind AND w.child_id = c.child_id)
    FOR UPDATE SKIP LOCKED));
END
$$;
CREATE FUNCTION rowrunner.fire_noted(child_kinds smallint[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF rowrunner.joins_noted(child_kinds) THEN
    PERFORM rowrunner.note_missed_ends();
    PERFORM rowrunner.fire_joins_of(k) FROM unnest(child_kinds) k;
  END IF;
END
$$;
CREATE FUNCTION rowrunner.forget_jobs(of_kind smallint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  DELETE FROM rowrunner.queue WHERE kind = of_kind;
  DELETE FROM rowrunner.delayed WHERE kind = of_kind;
  DELETE FROM rowrunner.failures WHERE kind = of_kind;
  DELETE FROM rowrunner.steps WHERE kind = of_kind;
  DELETE FROM rowrunner.progress WHERE kind = of_kind;
  DELETE FROM rowrunner.attempts WHERE kind = of_kind;
  DELETE FROM rowrunner.claim_errors WHERE kind = of_kind;
  PERFORM rowrunner.forget_joins(of_kind);
END
$$;
CREATE FUNCTION rowrunner.forget_joins(of_kind smallint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  DELETE FROM rowrunner.waits w WHERE w.child_kind = of_kind;
  DELETE FROM rowrunner.edges e WHERE e.child_kind = of_kind;
  DELETE FROM rowrunner.join_candidates c WHERE c.child_kind = of_kind;
  PERFORM rowrunner.note_ends(of_kind, ARRAY(SELECT DISTINCT e.parent_id FROM rowrunner.edges e
                                             WHERE e.parent_kind = of_kind), true);
END
$$;
CREATE FUNCTION rowrunner.forget_wait(of_kind smallint, job_id uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  DELETE FROM rowrunner.waits w WHERE w.child_kind = of_kind AND w.child_id = job_id;
  DELETE FROM rowrunner.edges WHERE ctid = ANY (ARRAY(
    SELECT e.ctid FROM rowrunner.edges e WHERE e.child_kind = of_kind AND e.child_id = job_id
    FOR UPDATE SKIP LOCKED));
END
$$;
CREATE FUNCTION rowrunner.free_row(job_table regclass, job_id uuid) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'off'
    AS $_$
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
$_$;
CREATE FUNCTION rowrunner.grant_access(mine rowrunner.kinds) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION rowrunner.grant_sequences(mine rowrunner.kinds) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  EXECUTE format('GRANT SELECT, UPDATE ON SEQUENCE %s, %s TO rowrunner_worker', mine.wakeup, mine.reached);
  EXECUTE format('GRANT SELECT, UPDATE ON SEQUENCE %s TO rowrunner_engine', mine.wakeup);
END
$$;
CREATE FUNCTION rowrunner.grants_on(job_table regclass) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT string_agg(format('GRANT %s ON %s TO %I', g.privileges, job_table, g.role), '; ' ORDER BY g.first)
  FROM (SELECT p.role, min(p.n) AS first,
               string_agg(p.privilege || coalesce(' (' || array_to_string(p.columns, ', ') || ')', ''), ', '
                          ORDER BY p.n) AS privileges
        FROM rowrunner.job_table_permissions() WITH ORDINALITY p (role, privilege, columns, n) GROUP BY p.role) g
$$;
CREATE FUNCTION rowrunner.heartbeat(lease bigint, lease_for interval DEFAULT NULL::interval) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  mine record;
BEGIN
  IF heartbeat.lease_for IS NOT NULL THEN
    PERFORM rowrunner.check_lease_for(heartbeat.lease_for);
  END IF;
  UPDATE rowrunner.leases l
    SET expires_at = clock_timestamp() + coalesce(heartbeat.lease_for, l.lease_for, '10 seconds')
    FROM rowrunner.kinds k
    WHERE l.lease = heartbeat.lease AND k.id = l.kind
    RETURNING l.worker, k.kind INTO mine;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM rowrunner.worker_seen(mine.worker, mine.kind);
  RETURN true;
END
$$;
CREATE FUNCTION rowrunner.hold_row(job_table regclass, job_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'off'
    AS $_$
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
$_$;
CREATE FUNCTION rowrunner.job_columns() RETURNS TABLE(name text, type text, not_null boolean, default_needed boolean, usual_default text)
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  VALUES ('id', 'uuid', true, true, 'rowrunner.new_id()'),
         ('status', 'text', true, true, '''queued'''),
         ('attempts', 'integer', true, true, '0'),
         ('max_attempts', 'integer', true, true, '3'),
         ('last_error', 'text', false, false, NULL),
         ('created_at', 'timestamp with time zone', true, true, 'now()'),
         ('updated_at', 'timestamp with time zone', true, true, 'now()'),
         ('locked_at', 'timestamp with time zone', false, false, NULL),
         ('locked_by', 'text', false, false, NULL),
         ('lease', 'bigint', false, false, NULL),
         ('priority', 'smallint', true, true, '0'),
         ('run_at', 'timestamp with time zone', true, true, 'now()')
$$;
CREATE FUNCTION rowrunner.job_table_columns(kind text) RETURNS TABLE(job_table text, name text, type text, is_array boolean, unique_key text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT format('%I.%I', n.nspname, c.relname) AS job_table, a.attname::text,
         format('%I.%I', tn.nspname, b.typname) AS type, t.typcategory = 'A' AS is_array, u.unique_key
  FROM rowrunner.kinds k
  JOIN pg_class c ON c.oid = k.job_table
  JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                     AND a.attgenerated = '' AND a.attidentity <> 'a'
  JOIN pg_type t ON t.oid = a.atttypid
  JOIN pg_type b ON b.oid = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END
  JOIN pg_namespace tn ON tn.oid = b.typnamespace
  CROSS JOIN LATERAL (
    SELECT CASE WHEN count(*) = 1 AND bool_and(i.indisunique AND i.indimmediate AND i.indisvalid
                                               AND i.indpred IS NULL AND i.indexprs IS NULL)
                THEN min((SELECT string_agg(quote_ident(key.attname), ', ' ORDER BY key.attnum)
                          FROM pg_attribute key
                          WHERE key.attrelid = c.oid
                            AND key.attnum = ANY ((i.indkey::smallint[])[0:i.indnkeyatts - 1])))
           END AS unique_key
    FROM pg_index i
    WHERE i.indrelid = c.oid AND (i.indisunique OR i.indisexclusion) AND NOT i.indisprimary) u
  WHERE k.kind = job_table_columns.kind
  ORDER BY a.attnum
$$;
CREATE FUNCTION rowrunner.job_table_permissions() RETURNS TABLE(role text, privilege text, columns name[])
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  VALUES ('rowrunner_app', 'SELECT', NULL::name[]), ('rowrunner_app', 'INSERT', NULL),
         ('rowrunner_worker', 'SELECT', NULL), ('rowrunner_worker', 'INSERT', NULL),
         ('rowrunner_worker', 'UPDATE', NULL), ('rowrunner_worker', 'DELETE', NULL),
         ('rowrunner_job_writer', 'SELECT', '{xmin,id,status,priority,run_at,created_at,updated_at,attempts,'
                                            'max_attempts,last_error,lease,locked_by}'),
         ('rowrunner_job_writer', 'UPDATE', '{status,attempts,last_error,run_at,updated_at,lease,locked_at,locked_by}')
$$;
CREATE FUNCTION rowrunner.jobs_after(of_kind smallint, job_id uuid) RETURNS TABLE(kind text, id uuid)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  WITH RECURSIVE below AS (
    SELECT w.child_kind, w.child_id, 1 AS depth FROM rowrunner.edges e
    JOIN rowrunner.waits w ON w.child_kind = e.child_kind AND w.child_id = e.child_id
    WHERE e.parent_kind = $1 AND e.parent_id = $2
    UNION
    SELECT w.child_kind, w.child_id, b.depth + 1 FROM below b
    JOIN rowrunner.edges e ON e.parent_kind = b.child_kind AND e.parent_id = b.child_id
    JOIN rowrunner.waits w ON w.child_kind = e.child_kind AND w.child_id = e.child_id
    WHERE b.depth < 100000  -- should there be a cycle in spite of all
  )
  SELECT k.kind, b.child_id FROM below b JOIN rowrunner.kinds k ON k.id = b.child_kind
  GROUP BY k.kind, b.child_id ORDER BY max(b.depth) DESC, b.child_id
$_$;
CREATE FUNCTION rowrunner.jobs_among(job_table regclass, ids uuid[]) RETURNS TABLE(id uuid, status text, priority smallint, run_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET row_security TO 'off'
    SET enable_seqscan TO 'off'
    AS $_$
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
$_$;
CREATE FUNCTION rowrunner.jobs_without_entry(kind_id smallint, percent real) RETURNS TABLE(id uuid, status text, priority smallint, run_at timestamp with time zone, created_at timestamp with time zone, updated_at timestamp with time zone, attempts integer, last_error text, lease bigint, locked_by text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_nestloop TO 'off'
    SET jit TO 'off'
    AS $$
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
CREATE FUNCTION rowrunner.joins_noted(child_kinds smallint[]) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  SELECT EXISTS (SELECT FROM rowrunner.join_candidates c WHERE c.child_kind = ANY ($1))
      OR EXISTS (SELECT FROM rowrunner.join_candidates c WHERE c.child_kind IS NULL)
      OR EXISTS (SELECT FROM rowrunner.waits w WHERE w.at_latest <= now() AND w.child_kind = ANY ($1))
$_$;
CREATE FUNCTION rowrunner.kind_named(kind text) RETURNS rowrunner.kinds
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  mine rowrunner.kinds;
BEGIN
  SELECT * INTO mine FROM rowrunner.kinds k WHERE k.kind = kind_named.kind;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'unknown kind %', quote_literal(kind_named.kind)
      USING ERRCODE = 'undefined_object',
            HINT = (SELECT 'Attached kinds: ' || coalesce(string_agg(k.kind, ', ' ORDER BY k.kind), 'none')
                    FROM rowrunner.kinds k);
  END IF;
  RETURN mine;
END
$$;
CREATE FUNCTION rowrunner.kinds_after(of_kind smallint, job_id uuid) RETURNS smallint[]
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  SELECT ARRAY(SELECT DISTINCT e.child_kind FROM rowrunner.edges e WHERE e.parent_kind = $1 AND e.parent_id = $2)
$_$;
CREATE FUNCTION rowrunner.kinds_to_fire() RETURNS SETOF smallint
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
BEGIN
  RETURN QUERY
  WITH RECURSIVE noted AS (
    SELECT (SELECT c.child_kind FROM rowrunner.join_candidates c
            WHERE c.child_kind IS NOT NULL ORDER BY c.child_kind LIMIT 1) AS kind
    UNION ALL
    SELECT (SELECT c.child_kind FROM rowrunner.join_candidates c
            WHERE c.child_kind > n.kind ORDER BY c.child_kind LIMIT 1)
    FROM noted n WHERE n.kind IS NOT NULL
  )
  SELECT n.kind FROM noted n WHERE n.kind IS NOT NULL
  UNION
  SELECT w.child_kind FROM rowrunner.waits w WHERE w.at_latest <= now()
  UNION
  SELECT 0::smallint WHERE EXISTS (SELECT FROM rowrunner.join_candidates c WHERE c.child_kind IS NULL)
  ORDER BY 1;
END
$$;
CREATE FUNCTION rowrunner.lock_candidates(kind_id smallint, last rowrunner.waits, at_most integer) RETURNS SETOF rowrunner.waits
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  RETURN QUERY
  SELECT w.* FROM (SELECT DISTINCT c.child_kind, c.child_id FROM rowrunner.join_candidates c
                   WHERE c.child_kind = kind_id
                     AND c.child_id > coalesce(last.child_id, '00000000-0000-0000-0000-000000000000')
                   ORDER BY c.child_kind, c.child_id) c
  CROSS JOIN LATERAL (SELECT * FROM rowrunner.waits w
                      WHERE w.child_kind = c.child_kind AND w.child_id = c.child_id FOR UPDATE SKIP LOCKED) w
  LIMIT at_most;
END
$$;
CREATE FUNCTION rowrunner.lock_overdue(kind_id smallint, last rowrunner.waits, at_most integer) RETURNS SETOF rowrunner.waits
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  RETURN QUERY
  SELECT w.* FROM rowrunner.waits w
  WHERE w.at_latest <= clock_timestamp() AND w.child_kind = kind_id
    AND (w.at_latest, w.child_id) >
        (coalesce(last.at_latest, '-infinity'), coalesce(last.child_id, '00000000-0000-0000-0000-000000000000'))
  ORDER BY w.at_latest, w.child_id LIMIT at_most FOR UPDATE SKIP LOCKED;
END
$$;
CREATE FUNCTION rowrunner.lock_parents(parent rowrunner.kinds, ids uuid[], policy text, OUT open uuid[], OUT bad uuid[], OUT named integer) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  wanted CONSTANT uuid[] := ARRAY(SELECT DISTINCT i FROM unnest(ids) i ORDER BY i);
  found uuid[];
BEGIN
  SELECT coalesce(array_agg(r.id), '{}'),
         array_agg(r.id) FILTER (WHERE r.status IN ('queued', 'processing')
                                    OR (policy = 'hold' AND r.status <> 'succeeded')),
         array_agg(r.id) FILTER (WHERE r.status NOT IN ('queued', 'processing', 'succeeded'))
    INTO found, open, bad FROM rowrunner.share_rows(parent.job_table, wanted) r;
  named := cardinality(wanted);
  IF cardinality(found) < named THEN
    RAISE EXCEPTION 'there is no job % of kind % to wait for',
      (SELECT i FROM unnest(wanted) i WHERE i <> ALL (found) LIMIT 1), parent.kind USING ERRCODE = 'no_data_found';
  END IF;
  -- A parent that is held itself must not be given a parent meanwhile that makes a cycle.
  PERFORM FROM rowrunner.waits w WHERE w.child_kind = parent.id AND w.child_id = ANY (open)
    ORDER BY w.child_id FOR SHARE;
END
$$;
CREATE FUNCTION rowrunner.lock_wait(child rowrunner.kinds, job_id uuid) RETURNS rowrunner.waits
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  waiting rowrunner.waits;
  found_status text;
  written_here boolean;
BEGIN
  SELECT w.* INTO waiting FROM rowrunner.waits w
    WHERE w.child_kind = child.id AND w.child_id = lock_wait.job_id FOR UPDATE;
  IF FOUND THEN
    RETURN waiting;
  END IF;
  SELECT r.found_status, r.found_run_at, r.written_here INTO found_status, waiting.run_at, written_here
    FROM rowrunner.child_row(child.job_table, job_id) r;
  IF found_status IS NULL THEN
    RAISE EXCEPTION 'there is no job % of kind %', job_id, child.kind USING ERRCODE = 'no_data_found';
  ELSIF found_status <> 'queued' OR NOT written_here THEN
    RAISE EXCEPTION 'job % of kind % does not wait for others (it is %)', job_id, child.kind, found_status
      USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'It has fired, or never waited: the first run_after belongs to the transaction that enqueues'
                   ' the job.';
  END IF;
  RETURN waiting;
END
$$;
CREATE FUNCTION rowrunner.may_lack_entries(job_table regclass, added text[], enqueue_existing boolean, retention interval) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION rowrunner.missing_columns(job_table regclass) RETURNS TABLE(name text, type text, not_null boolean, usual_default text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT c.name, c.type, c.not_null, c.usual_default
  FROM rowrunner.job_columns() WITH ORDINALITY c (name, type, not_null, default_needed, usual_default, n)
  WHERE NOT EXISTS (SELECT FROM pg_attribute a
                    WHERE a.attrelid = job_table AND a.attname = c.name AND NOT a.attisdropped)
  ORDER BY c.n
$$;
CREATE FUNCTION rowrunner.move_due(kind_ids smallint[], at_most integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
DECLARE
  n integer;
BEGIN
  WITH due AS MATERIALIZED (
    SELECT ctid, kind, priority, run_at, job_id FROM rowrunner.delayed
    WHERE kind = ANY (kind_ids) AND run_at <= now()
    ORDER BY kind, run_at LIMIT at_most FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM rowrunner.delayed WHERE ctid = ANY (ARRAY(SELECT ctid FROM due))
  )
  INSERT INTO rowrunner.queue (kind, priority, seq, job_id)
    SELECT kind, priority, nextval('rowrunner.queue_back'), job_id FROM due ORDER BY run_at;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END
$$;
CREATE FUNCTION rowrunner.new_id() RETURNS uuid
    LANGUAGE sql PARALLEL SAFE
    RETURN (encode(set_bit(set_bit(OVERLAY(uuid_send(gen_random_uuid()) PLACING SUBSTRING(int8send(((date_part('epoch'::text, clock_timestamp()) * (1000)::double precision))::bigint) FROM 3) FROM 1 FOR 6), (52)::bigint, 1), (53)::bigint, 1), 'hex'::text))::uuid;
CREATE FUNCTION rowrunner.new_kind(job_table regclass, kind text) RETURNS rowrunner.kinds
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
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
$_$;
CREATE FUNCTION rowrunner.new_lease() RETURNS bigint
    LANGUAGE sql
    RETURN (((('x'::text || "left"(replace((gen_random_uuid())::text, '-'::text, ''::text), 16)))::bit(64))::bigint & '9223372036854775807'::bigint);
CREATE FUNCTION rowrunner.none_kept(job_table regclass, ids uuid[], leases bigint[]) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
  kept uuid;
BEGIN
  EXECUTE format('SELECT j.id FROM unnest($1, $2) AS f (id, lease) JOIN %s j ON j.id = f.id'
                 ' WHERE j.status = ''processing'' AND j.lease = f.lease LIMIT 1'
                 ' FOR NO KEY UPDATE OF j SKIP LOCKED', job_table)
    INTO kept USING ids, leases;
  IF kept IS NOT NULL THEN
    PERFORM rowrunner.refuse_end(kept);
  END IF;
  RETURN true;
END
$_$;
CREATE FUNCTION rowrunner.note_ends(of_kind smallint, ids uuid[], bad boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  WITH gone AS (
    DELETE FROM rowrunner.edges d WHERE d.ctid = ANY (ARRAY(
      SELECT e.ctid FROM rowrunner.edges e
      WHERE e.parent_kind = of_kind AND e.parent_id = ANY (ids)
        AND NOT (bad AND rowrunner.waits_for_success(e.child_kind, e.child_id))
      FOR UPDATE NOWAIT))
    RETURNING d.child_kind, d.child_id, CASE WHEN bad THEN of_kind END AS of_kind,
              CASE WHEN bad THEN d.parent_id END AS parent_id
  )
  INSERT INTO rowrunner.join_candidates (child_kind, child_id, parent_kind, parent_id, failed)
  SELECT DISTINCT g.child_kind, g.child_id, g.of_kind, g.parent_id, bad FROM gone g;
EXCEPTION WHEN lock_not_available THEN
  PERFORM rowrunner.note_free_ends(of_kind, ids, bad);
END
$$;
CREATE FUNCTION rowrunner.note_free_ends(of_kind smallint, ids uuid[], bad boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  WITH ended AS MATERIALIZED (
    SELECT e.ctid AS address, e.parent_id, e.child_kind, e.child_id FROM rowrunner.edges e
    WHERE e.parent_kind = of_kind AND e.parent_id = ANY (ids)
      AND NOT (bad AND rowrunner.waits_for_success(e.child_kind, e.child_id))
  ), free AS MATERIALIZED (
    SELECT e.ctid AS address, e.parent_id, e.child_kind, e.child_id FROM rowrunner.edges e
    WHERE e.ctid = ANY (ARRAY(SELECT n.address FROM ended n)) FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM rowrunner.edges WHERE ctid = ANY (ARRAY(SELECT f.address FROM free f))
  ), locked AS (
    -- Not by a join: a parent can have many children, and the planner may expect one.
    SELECT n.child_kind, n.child_id, n.parent_id FROM ended n
    EXCEPT SELECT f.child_kind, f.child_id, f.parent_id FROM free f
  )
  INSERT INTO rowrunner.join_candidates (child_kind, child_id, parent_kind, parent_id, failed)
  SELECT f.child_kind, f.child_id, CASE WHEN bad THEN of_kind END, CASE WHEN bad THEN f.parent_id END, bad FROM free f
  UNION
  SELECT l.child_kind, l.child_id, of_kind, l.parent_id, bad FROM locked l;
END
$$;
CREATE FUNCTION rowrunner.note_missed_ends() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET lock_timeout TO '100ms'
    AS $$
BEGIN
  IF rowrunner.snapshot_may_be_old() THEN
    RETURN 0;
  END IF;
  RETURN (SELECT coalesce(sum(rowrunner.remove_missed_edges(m.parent_kind)), 0)
          FROM (SELECT DISTINCT c.parent_kind FROM rowrunner.join_candidates c WHERE c.child_kind IS NULL) m);
END
$$;
CREATE FUNCTION rowrunner.note_near(of_kind smallint, ids uuid[], near uuid[], bad boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  -- A binary search, in a flat array: that of a variable would be made into one for each call of width_bucket.
  parents CONSTANT uuid[] := CASE WHEN cardinality(near) > cardinality(ids) / 8 THEN ids ELSE ARRAY(
    WITH ended AS MATERIALIZED (SELECT ids AS sorted)
    SELECT n FROM ended, unnest(near) n WHERE sorted[width_bucket(n, sorted)] = n) END;
BEGIN
  IF cardinality(parents) > 0 THEN
    PERFORM rowrunner.note_ends(of_kind, parents, bad);
  END IF;
END
$$;
CREATE FUNCTION rowrunner.note_old_snapshot(of_kind smallint, ids uuid[]) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  INSERT INTO rowrunner.join_candidates (parent_kind, parent_id) SELECT $1, i FROM unnest($2) i
$_$;
CREATE FUNCTION rowrunner.on_delete() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
#variable_conflict use_variable
DECLARE
  my_kind CONSTANT smallint := TG_ARGV[0];
BEGIN
  IF EXISTS (SELECT FROM deleted d
             WHERE pg_typeof(d.id) <> 'uuid'::regtype OR pg_typeof(d.status) <> 'text'::regtype
                OR pg_typeof(d.run_at) <> 'timestamptz'::regtype) THEN
    PERFORM rowrunner.refuse_types();
  END IF;
  DELETE FROM rowrunner.steps WHERE ctid = ANY (ARRAY(
    SELECT x.ctid FROM deleted d CROSS JOIN LATERAL (
      SELECT s.ctid FROM rowrunner.steps s WHERE s.kind = my_kind AND s.job_id = d.id OFFSET 0) x));
  DELETE FROM rowrunner.progress WHERE ctid = ANY (ARRAY(
    SELECT x.ctid FROM deleted d CROSS JOIN LATERAL (
      SELECT p.ctid FROM rowrunner.progress p WHERE p.kind = my_kind AND p.job_id = d.id OFFSET 0) x));
  DELETE FROM rowrunner.attempts WHERE ctid = ANY (ARRAY(
    SELECT x.ctid FROM deleted d CROSS JOIN LATERAL (
      SELECT a.ctid FROM rowrunner.attempts a WHERE a.kind = my_kind AND a.job_id = d.id OFFSET 0) x));
  DELETE FROM rowrunner.claim_errors WHERE ctid = ANY (ARRAY(
    SELECT x.ctid FROM deleted d CROSS JOIN LATERAL (
      SELECT e.ctid FROM rowrunner.claim_errors e WHERE e.kind = my_kind AND e.job_id = d.id OFFSET 0) x));
  DELETE FROM rowrunner.failures WHERE ctid = ANY (ARRAY(
    SELECT x.ctid FROM deleted d CROSS JOIN LATERAL (
      SELECT f.ctid FROM rowrunner.failures f WHERE f.kind = my_kind AND f.job_id = d.id OFFSET 0) x));
  DELETE FROM rowrunner.delayed WHERE ctid = ANY (ARRAY(
    SELECT x.ctid FROM deleted d CROSS JOIN LATERAL (
      SELECT w.ctid FROM rowrunner.delayed w
      WHERE w.kind = my_kind AND w.run_at = d.run_at AND w.job_id = d.id AND d.status = 'queued'
      OFFSET 0) x));
  PERFORM rowrunner.forget_wait(my_kind, d.id) FROM deleted d WHERE d.status = 'queued' AND d.run_at = 'infinity';
  RETURN NULL;
END
$$;
CREATE FUNCTION rowrunner.on_insert() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_variable
DECLARE
  my_kind CONSTANT smallint := TG_ARGV[0];
BEGIN
  INSERT INTO rowrunner.queue (kind, priority, seq, job_id)
    SELECT my_kind, i.priority, pg_catalog.nextval('rowrunner.queue_back'), i.id
    FROM (SELECT id, status, priority, run_at FROM inserted) i
    WHERE CASE WHEN pg_catalog.pg_typeof(i.id) OPERATOR(pg_catalog.<>) 'pg_catalog.uuid'::pg_catalog.regtype
                 OR pg_catalog.pg_typeof(i.status) OPERATOR(pg_catalog.<>) 'pg_catalog.text'::pg_catalog.regtype
                 OR pg_catalog.pg_typeof(i.priority) OPERATOR(pg_catalog.<>) 'pg_catalog.int2'::pg_catalog.regtype
                 OR pg_catalog.pg_typeof(i.run_at) OPERATOR(pg_catalog.<>)
                    'pg_catalog.timestamptz'::pg_catalog.regtype
               THEN rowrunner.refuse_types()
               WHEN i.status OPERATOR(pg_catalog.=) 'queued'
                AND i.run_at OPERATOR(pg_catalog.<=) pg_catalog.now() THEN true
               ELSE pg_catalog.set_config('rowrunner.others_inserted', 'yes', true) IS NULL END;
  IF pg_catalog.current_setting('rowrunner.others_inserted', true) OPERATOR(pg_catalog.=) 'yes' THEN
    PERFORM pg_catalog.set_config('rowrunner.others_inserted', 'no', true);
    IF EXISTS (SELECT FROM (SELECT status FROM inserted) i WHERE i.status OPERATOR(pg_catalog.=) 'processing') THEN
      RAISE EXCEPTION 'a job cannot be inserted as processing: only a claim makes it so'
        USING ERRCODE = 'check_violation', HINT = 'Leave status out, or insert ''queued''.';
    END IF;
    INSERT INTO rowrunner.delayed (kind, run_at, priority, job_id)
      SELECT my_kind, i.run_at, i.priority, i.id
      FROM (SELECT id, status, priority, run_at FROM inserted) i
      WHERE i.status OPERATOR(pg_catalog.=) 'queued' AND i.run_at OPERATOR(pg_catalog.>) pg_catalog.now()
        AND i.run_at OPERATOR(pg_catalog.<) 'infinity';
    INSERT INTO rowrunner.failures (kind, job_id, attempts, error)
      SELECT my_kind, i.id, i.attempts, i.last_error
      FROM (SELECT id, status, attempts, last_error FROM inserted) i
      WHERE CASE WHEN pg_catalog.pg_typeof(i.attempts) OPERATOR(pg_catalog.<>)
                      'pg_catalog.int4'::pg_catalog.regtype
                   OR pg_catalog.pg_typeof(i.last_error) OPERATOR(pg_catalog.<>)
                      'pg_catalog.text'::pg_catalog.regtype
                 THEN rowrunner.refuse_types()
                 ELSE i.status OPERATOR(pg_catalog.=) 'failed' END;
  END IF;
  -- The test of rowrunner.wake, before the call of it.
  IF pg_catalog.pg_sequence_last_value(TG_ARGV[2]::pg_catalog.regclass) OPERATOR(pg_catalog.>)
     (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000) THEN
    PERFORM rowrunner.wake(TG_ARGV[2]::pg_catalog.regclass, TG_ARGV[1]);
  END IF;
  RETURN NULL;
END
$$;
CREATE FUNCTION rowrunner.on_parent_delete() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
#variable_conflict use_variable
DECLARE
  my_kind CONSTANT smallint := TG_ARGV[0];
BEGIN
  IF (SELECT pg_typeof(d.id) <> 'uuid'::regtype OR pg_typeof(d.status) <> 'text'::regtype FROM deleted d LIMIT 1) THEN
    PERFORM rowrunner.refuse_types();
  END IF;
  PERFORM rowrunner.note_ends(my_kind, ARRAY(SELECT d.id FROM deleted d WHERE d.status = 'succeeded'), false);
  PERFORM rowrunner.note_ends(my_kind, ARRAY(SELECT d.id FROM deleted d WHERE d.status <> 'succeeded'), true);
  IF rowrunner.snapshot_may_be_old() THEN
    PERFORM rowrunner.note_old_snapshot(my_kind, ARRAY(SELECT d.id FROM deleted d));
  END IF;
  RETURN NULL;
END
$$;
CREATE FUNCTION rowrunner.on_parent_update() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
#variable_conflict use_variable
DECLARE
  my_kind CONSTANT smallint := TG_ARGV[0];
  ended uuid[];
  near uuid[];
  bad uuid[];
BEGIN
  IF (SELECT pg_typeof(w.id) <> 'uuid'::regtype OR pg_typeof(w.status) <> 'text'::regtype FROM written w LIMIT 1) THEN
    PERFORM rowrunner.refuse_types();
  END IF;
  ended := ARRAY(SELECT w.id FROM written w WHERE w.status <> ALL ('{processing,queued}') ORDER BY w.id);
  IF cardinality(ended) = 0 THEN
    RETURN NULL;
  END IF;
  IF rowrunner.snapshot_may_be_old() THEN
    PERFORM rowrunner.note_old_snapshot(my_kind, ended);
  END IF;
  -- Jobs that end together were mostly enqueued together, and to look for the edges of each costs a tenth of what its
  -- whole life costs: so first those between the first and the last of them.
  near := ARRAY(SELECT e.parent_id FROM rowrunner.edges e
                WHERE e.parent_kind = my_kind AND e.parent_id >= ended[1] AND e.parent_id <= ended[cardinality(ended)]
                ORDER BY e.parent_kind, e.parent_id LIMIT cardinality(ended) / 8 + 1);
  IF cardinality(near) = 0 THEN
    RETURN NULL;
  END IF;
  bad := ARRAY(SELECT w.id FROM written w WHERE w.status <> ALL ('{succeeded,processing,queued}') ORDER BY w.id);
  IF cardinality(bad) = 0 THEN
    PERFORM rowrunner.note_near(my_kind, ended, near, false);
  ELSE
    PERFORM rowrunner.note_near(my_kind, bad, near, true);
    PERFORM rowrunner.note_near(my_kind, ARRAY(SELECT w.id FROM written w WHERE w.status = 'succeeded' ORDER BY w.id),
                                near, false);
  END IF;
  RETURN NULL;
END
$$;
CREATE FUNCTION rowrunner.on_truncate() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  PERFORM rowrunner.forget_jobs(TG_ARGV[0]::smallint);
  RETURN NULL;
END
$$;
CREATE FUNCTION rowrunner.on_update() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  my_kind CONSTANT smallint := TG_ARGV[0];
  cancel_reason text;
  held boolean := false;
BEGIN
  IF (pg_typeof(NEW.id), pg_typeof(NEW.status), pg_typeof(NEW.attempts), pg_typeof(NEW.max_attempts),
      pg_typeof(NEW.last_error), pg_typeof(NEW.locked_by), pg_typeof(NEW.lease), pg_typeof(NEW.priority),
      pg_typeof(NEW.run_at))
     <> ('uuid'::regtype, 'text'::regtype, 'integer'::regtype, 'integer'::regtype, 'text'::regtype,
         'text'::regtype, 'bigint'::regtype, 'smallint'::regtype, 'timestamptz'::regtype) THEN
    PERFORM rowrunner.refuse_types();
  END IF;
  IF NEW.id <> OLD.id THEN
    RAISE EXCEPTION 'the id of a job cannot change' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.status = 'processing' THEN
    IF NEW.lease IS NULL OR OLD.status NOT IN ('queued', 'processing') THEN
      RAISE EXCEPTION 'job % cannot become processing without a lease: only a claim makes it so', NEW.id
        USING ERRCODE = 'check_violation', HINT = 'Set status to ''queued'' to have it run.';
    END IF;
    RETURN NULL;
  END IF;
  IF OLD.status = 'failed' AND NEW.status <> 'failed' THEN
    DELETE FROM rowrunner.failures WHERE kind = my_kind AND job_id = NEW.id;
  ELSIF NEW.status = 'failed' AND OLD.status <> 'failed' THEN
    INSERT INTO rowrunner.failures (kind, job_id, attempts, error)
      VALUES (my_kind, NEW.id, NEW.attempts, NEW.last_error)
      ON CONFLICT (kind, job_id) DO UPDATE
        SET failed_at = now(), attempts = excluded.attempts, error = excluded.error, refused_at = NULL;
  END IF;
  IF NEW.status <> 'queued' AND OLD.status = 'queued' AND OLD.run_at = 'infinity' THEN
    PERFORM rowrunner.forget_wait(my_kind, NEW.id);
  END IF;
  IF NEW.status <> 'queued' OR (OLD.status = 'queued' AND NEW.run_at = OLD.run_at
                                AND NEW.priority = OLD.priority) THEN
    RETURN NULL;
  END IF;
  -- A job that had succeeded does all of its work again.
  IF OLD.status = 'succeeded' THEN
    DELETE FROM rowrunner.steps s WHERE s.kind = my_kind AND s.job_id = NEW.id;
    DELETE FROM rowrunner.progress p WHERE p.kind = my_kind AND p.job_id = NEW.id;
  END IF;
  -- A cancel may have been requested while the end of the job waited for this row: the statement that
  -- queues it again does not see that request, this one does.
  IF OLD.status = 'processing' THEN
    SELECT c.reason INTO cancel_reason FROM rowrunner.cancellations c
      WHERE c.lease = OLD.lease AND c.job_id = NEW.id;
    IF FOUND THEN
      PERFORM rowrunner.end_cancelled_row(
        TG_RELID, NEW.id, (SELECT k.cancelled_status FROM rowrunner.kinds k WHERE k.id = my_kind),
        cancel_reason);
      RETURN NULL;
    END IF;
  END IF;
  -- A job that waits for others stays held; the time that was asked for counts when it is fired.
  IF OLD.status <> 'processing' THEN
    held := EXISTS (SELECT FROM rowrunner.waits w WHERE w.child_kind = my_kind AND w.child_id = NEW.id);
  END IF;
  IF held THEN
    IF NEW.run_at < 'infinity' THEN
      UPDATE rowrunner.waits w SET run_at = NEW.run_at WHERE w.child_kind = my_kind AND w.child_id = NEW.id;
      PERFORM rowrunner.hold_row(TG_RELID, NEW.id);
    END IF;
  ELSIF NEW.run_at > now() THEN
    INSERT INTO rowrunner.delayed (kind, run_at, priority, job_id)
      SELECT my_kind, NEW.run_at, NEW.priority, NEW.id WHERE NEW.run_at < 'infinity';
  ELSE
    -- What ran before and comes back goes to the front: it is older than all that wait.
    INSERT INTO rowrunner.queue (kind, priority, seq, job_id)
      VALUES (my_kind, NEW.priority,
              CASE WHEN OLD.status = 'processing' THEN nextval('rowrunner.queue_front')
                   ELSE nextval('rowrunner.queue_back') END,
              NEW.id);
  END IF;
  -- A hand-written UPDATE sets only the status: take the lease away, so that a worker that still runs
  -- the job is fenced off, and give it new attempts if they are spent.
  IF NEW.lease IS NOT NULL OR NEW.locked_by IS NOT NULL OR NEW.attempts >= NEW.max_attempts THEN
    PERFORM rowrunner.clear_lease_of_row(TG_RELID, NEW.id);
  END IF;
  IF NOT held THEN
    PERFORM rowrunner.wake(TG_ARGV[2]::regclass, TG_ARGV[1]);
  END IF;
  RETURN NULL;
END
$$;
CREATE FUNCTION rowrunner.on_wakeup() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
BEGIN
  DELETE FROM rowrunner.wakeups w WHERE w.id = NEW.id;
  IF current_query() ~* 'prepare\s+transaction' THEN
    PERFORM setval(k.wakeup, NEW.armed_until) FROM rowrunner.kinds k
      WHERE k.kind = NEW.kind AND pg_sequence_last_value(k.wakeup) = 1;
  ELSE
    PERFORM pg_notify('rowrunner', NEW.kind);
  END IF;
  RETURN NULL;
END
$$;
CREATE FUNCTION rowrunner.only_computes(expression pg_node_tree, catalog regclass, entry oid, job_table regclass) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT NOT EXISTS (SELECT FROM pg_depend d
                     WHERE d.classid = catalog AND d.objid = entry
                       AND NOT (d.refclassid = 'pg_class'::regclass AND d.refobjid = job_table))
     AND NOT EXISTS (SELECT FROM regexp_matches(expression::text, ':(funcid|opno) (\d+)', 'g') used
                     LEFT JOIN pg_operator o ON used[1] = 'opno' AND o.oid = used[2]::oid
                     JOIN pg_proc p ON p.oid = coalesce(o.oprcode::oid, used[2]::oid)
                     WHERE p.provolatile <> 'i'
                       AND p.proname NOT IN ('now', 'transaction_timestamp', 'statement_timestamp',
                                             'clock_timestamp', 'timestamptz_pl_interval',
                                             'timestamptz_mi_interval'))
$$;
CREATE FUNCTION rowrunner.pages_to_sweep() RETURNS bigint
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT max(pg_relation_size(c.oid)) / current_setting('block_size')::bigint
  FROM pg_class c
  WHERE c.relnamespace = 'rowrunner'::regnamespace
    AND c.relname IN ('queue', 'delayed', 'failures', 'steps', 'progress', 'attempts', 'waits', 'edges')
$$;
CREATE FUNCTION rowrunner.pass_over(kind_id smallint, job_id uuid, error text) RETURNS timestamp with time zone
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  INSERT INTO rowrunner.claim_errors AS e (kind, job_id, error, retry_at)
  VALUES ($1, $2, left($3, 1000), clock_timestamp() + interval '5 s')
  ON CONFLICT (kind, job_id) DO UPDATE
    SET error = excluded.error, failed_at = excluded.failed_at, tries = least(e.tries, 1000) + 1,
        retry_at = clock_timestamp() + least(interval '10 min', interval '5 s' * 2 ^ least(e.tries, 7))
  RETURNING retry_at
$_$;
CREATE FUNCTION rowrunner.progress(kind text, job_id uuid, lease bigint, done bigint, total bigint, message text DEFAULT ''::text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
  mine rowrunner.kinds := rowrunner.kind_named(progress.kind);
  n integer;
BEGIN
  PERFORM rowrunner.refuse_unless(progress.done >= 0 AND progress.total >= 0,
                                  format('done is %s and total is %s, must both be 0 or more',
                                         coalesce(progress.done::text, 'NULL'),
                                         coalesce(progress.total::text, 'NULL')),
                                  'They say how many parts are done, and how many there are.');
  EXECUTE format($sql$
    INSERT INTO rowrunner.progress (kind, job_id, done, total, message)
    SELECT $1, held.id, $4, $5, $6
    FROM (SELECT j.id FROM %s j WHERE j.id = $2 AND j.status = 'processing' AND j.lease = $3
          FOR NO KEY UPDATE) held
    ON CONFLICT (kind, job_id) DO UPDATE
    SET done = excluded.done, total = excluded.total, message = excluded.message, updated_at = now() $sql$,
    mine.job_table)
    USING mine.id, progress.job_id, progress.lease, progress.done, progress.total,
          coalesce(progress.message, '');
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n = 1;
END
$_$;
CREATE FUNCTION rowrunner.put_off_entry(mine rowrunner.kinds, priority smallint, seq bigint, state text, reason text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  blocked CONSTANT boolean := put_off_entry.state IN ('55P03', '40P01');
  job uuid;
BEGIN
  WITH entry AS MATERIALIZED (
    SELECT q.ctid AS address FROM rowrunner.queue q
    WHERE q.kind = mine.id AND (q.priority, q.seq) > (put_off_entry.priority, put_off_entry.seq)
    ORDER BY q.kind, q.priority, q.seq LIMIT 1 FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM rowrunner.queue q WHERE q.ctid = ANY (ARRAY(SELECT e.address FROM entry e))
    RETURNING q.priority, q.job_id
  )
  INSERT INTO rowrunner.delayed (kind, run_at, priority, job_id)
    SELECT mine.id, CASE WHEN blocked THEN clock_timestamp() + interval '1 s'
                         ELSE rowrunner.pass_over(mine.id, g.job_id, put_off_entry.reason) END,
           g.priority, g.job_id FROM gone g
    RETURNING delayed.job_id INTO job;
  IF job IS NOT NULL AND NOT blocked THEN
    RAISE WARNING 'job % of kind % cannot be claimed: %', job, mine.kind, put_off_entry.reason;
  END IF;
  RETURN job IS NOT NULL;
END
$$;
CREATE FUNCTION rowrunner.put_off_join(waiting rowrunner.waits, reason text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  noted CONSTANT tid[] := ARRAY(SELECT c.ctid FROM rowrunner.join_candidates c
                                WHERE c.child_kind = waiting.child_kind AND c.child_id = waiting.child_id);
BEGIN
  RAISE WARNING 'job % waited for others and cannot be run: %', waiting.child_id, reason;
  UPDATE rowrunner.waits w
    SET cancel_reason = rowrunner.cancel_reason_of(waiting, noted),
        at_latest = CASE WHEN w.at_latest <= clock_timestamp() THEN clock_timestamp() + interval '1 minute'
                         ELSE w.at_latest END
    WHERE w.child_kind = waiting.child_kind AND w.child_id = waiting.child_id;
  DELETE FROM rowrunner.join_candidates c WHERE c.ctid = ANY (noted);
END
$$;
CREATE FUNCTION rowrunner.reach(mark regclass, last bigint) RETURNS bigint
    LANGUAGE sql
    RETURN CASE WHEN ((last > COALESCE(pg_sequence_last_value(mark), (0)::bigint)) OR ((last >> 47) < (pg_sequence_last_value(mark) >> 47))) THEN setval(mark, last) ELSE NULL::bigint END;
CREATE FUNCTION rowrunner.reached_mark(priority smallint, seq bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (seq > 0) THEN ((((priority)::bigint + 32768) << 47) | seq) ELSE NULL::bigint END;
CREATE FUNCTION rowrunner.reached_seq(mark regclass, priority smallint) RETURNS bigint
    LANGUAGE sql
    RETURN (SELECT (m.last & (((1)::bigint << 47) - 1)) FROM (SELECT pg_sequence_last_value(reached_seq.mark) AS last) m WHERE ((m.last >> 47) = (reached_seq.priority + 32768)));
CREATE FUNCTION rowrunner.refuse_claim(job_id uuid) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  RAISE EXCEPTION 'the UPDATE that takes job % left it without status processing and the lease of the claim:'
    ' does a trigger change them?', job_id USING ERRCODE = 'RR002';
END
$$;
CREATE FUNCTION rowrunner.refuse_cycle(child rowrunner.kinds, job_id uuid, parent rowrunner.kinds, ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  found uuid;
BEGIN
  IF NOT EXISTS (SELECT FROM rowrunner.waits w WHERE w.child_kind = parent.id AND w.child_id = ANY (ids)) THEN
    RETURN;
  ELSIF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') AND (
          EXISTS (SELECT FROM rowrunner.waits w
                  WHERE w.child_kind = child.id AND w.child_id = job_id AND age(w.xmin) > 0)
          OR EXISTS (SELECT FROM rowrunner.edges e
                     WHERE e.child_kind = child.id AND e.child_id = job_id AND age(e.xmin) > 0)) THEN
    RAISE EXCEPTION 'job % waits already, and could be made to wait for itself under %', job_id,
      upper(current_setting('transaction_isolation')) USING ERRCODE = 'active_sql_transaction',
      HINT = 'Add parents that wait themselves in a transaction that begins with BEGIN ISOLATION LEVEL READ COMMITTED.';
  ELSIF NOT EXISTS (SELECT FROM rowrunner.edges e WHERE e.parent_kind = child.id AND e.parent_id = job_id) THEN
    RETURN;
  END IF;
  PERFORM FROM rowrunner.schema_info FOR NO KEY UPDATE;
  WITH RECURSIVE below AS (
    SELECT child.id AS kind, job_id AS id
    UNION
    SELECT e.child_kind, e.child_id FROM below b
    JOIN rowrunner.edges e ON e.parent_kind = b.kind AND e.parent_id = b.id
  )
  SELECT b.id INTO found FROM below b WHERE b.kind = parent.id AND b.id = ANY (ids) LIMIT 1;
  IF found IS NOT NULL THEN
    RAISE EXCEPTION 'job % cannot wait for job %, which waits for it', job_id, found
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
END
$$;
CREATE FUNCTION rowrunner.refuse_end(job_id uuid) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  RAISE EXCEPTION 'the UPDATE that ends job % left it processing: does a trigger suppress or change it?', job_id
    USING ERRCODE = 'RR003';
END
$$;
CREATE FUNCTION rowrunner.refuse_names(job_table regclass, owner name, co_owner name, public_id name) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION rowrunner.refuse_stranger(job_table regclass) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION rowrunner.refuse_table(kind_id smallint, named regclass) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  mine rowrunner.kinds;
BEGIN
  SELECT * INTO mine FROM rowrunner.kinds k WHERE k.id = kind_id;
  RAISE EXCEPTION 'kind % is attached to % (oid %), but % is another table (oid %): start the worker'
    ' again, or attach the new table under a kind of its own',
    mine.kind, mine.job_table, mine.job_table::oid, named, named::oid USING ERRCODE = 'RR001';
END
$$;
CREATE FUNCTION rowrunner.refuse_types() RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  RAISE EXCEPTION 'a column of the job table has another type than it had when the table was attached'
    USING ERRCODE = 'datatype_mismatch',
          HINT = 'SELECT * FROM rowrunner.job_columns() lists the types; or detach the kind.';
END
$$;
CREATE FUNCTION rowrunner.refuse_unfit(job_table regclass, add_columns boolean DEFAULT false) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  problems text;
BEGIN
  SELECT string_agg(p, '; ') INTO problems FROM rowrunner.attach_problems(job_table, add_columns) p;
  IF problems IS NOT NULL THEN
    RAISE EXCEPTION '% cannot be attached: %', job_table, problems
      USING ERRCODE = 'invalid_table_definition',
            HINT = CASE WHEN NOT add_columns AND EXISTS (SELECT FROM rowrunner.missing_columns(job_table) m
                                                         WHERE m.name <> 'id')
                        THEN 'add_columns => true lets attach add the missing columns. ' ELSE '' END
                   || 'SELECT * FROM rowrunner.job_columns() lists the columns; docs/job-tables.md says why.';
  END IF;
END
$$;
CREATE FUNCTION rowrunner.refuse_unless(fits boolean, complaint text, hint text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF fits IS NOT TRUE THEN
    RAISE EXCEPTION '%', complaint USING ERRCODE = 'invalid_parameter_value', HINT = hint;
  END IF;
END
$$;
CREATE FUNCTION rowrunner.refuses_status(job_table regclass, wanted text) RETURNS name
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
  checked record;
  fits boolean;
BEGIN
  FOR checked IN
    SELECT c.conname, pg_get_expr(c.conbin, c.conrelid) AS expression
    FROM pg_constraint c
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attname = 'status' AND c.conkey = ARRAY[a.attnum]
    WHERE c.conrelid = job_table AND c.contype = 'c' AND a.atttypid = 'text'::regtype
      AND rowrunner.only_computes(c.conbin, 'pg_constraint', c.oid, job_table)
  LOOP
    BEGIN
      EXECUTE format('SELECT (%s) IS NOT FALSE FROM (SELECT $1 AS status) job', checked.expression)
        INTO fits USING wanted;
    EXCEPTION WHEN OTHERS THEN
      fits := false;  -- and so would the UPDATE fail
    END;
    IF NOT fits THEN
      RETURN checked.conname;
    END IF;
  END LOOP;
  RETURN NULL;
END
$_$;
CREATE FUNCTION rowrunner.register(job_table regclass, kind text) RETURNS rowrunner.kinds
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION rowrunner.release(kind text, job_id uuid, lease bigint) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
  mine rowrunner.kinds := rowrunner.kind_named(release.kind);
  worker text;
BEGIN
  SELECT l.worker INTO worker FROM rowrunner.leases l WHERE l.lease = release.lease FOR UPDATE;
  EXECUTE format('UPDATE %s SET status = ''queued'', lease = NULL, locked_at = NULL, locked_by = NULL,'
                 ' updated_at = now() WHERE id = $1 AND status = ''processing'' AND lease = $2'
                 ' RETURNING CASE WHEN status <> ''processing'' THEN coalesce($3, '''')'
                 '                ELSE rowrunner.refuse_end(id) END', mine.job_table)
    INTO worker USING release.job_id, release.lease, worker;
  IF worker IS NULL THEN
    RETURN false;
  END IF;
  PERFORM rowrunner.strike_from_lease(release.lease, release.job_id);
  PERFORM rowrunner.count_jobs(mine.id, worker, released => 1);
  RETURN true;
END
$_$;
CREATE FUNCTION rowrunner.remove_duplicates(of_kind smallint) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_nestloop TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
  n bigint;
  removed bigint;
BEGIN
  DELETE FROM rowrunner.queue q
    USING (SELECT e.priority, e.seq,
                  row_number() OVER (PARTITION BY e.job_id, e.priority ORDER BY e.seq) AS copy
           FROM rowrunner.queue e WHERE e.kind = of_kind) numbered
    WHERE q.kind = of_kind AND q.priority = numbered.priority AND q.seq = numbered.seq
      AND numbered.copy > 1;
  GET DIAGNOSTICS removed = ROW_COUNT;
  DELETE FROM rowrunner.delayed WHERE ctid = ANY (ARRAY(
    SELECT numbered.tid
    FROM (SELECT d.ctid AS tid, d.job_id, d.priority,
                 row_number() OVER (PARTITION BY d.job_id, d.priority, d.run_at) AS copy
          FROM rowrunner.delayed d WHERE d.kind = of_kind) numbered
    WHERE numbered.copy > 1
       OR EXISTS (SELECT FROM rowrunner.queue q WHERE q.kind = of_kind AND q.job_id = numbered.job_id
                    AND q.priority = numbered.priority)));
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN removed + n;
END
$$;
CREATE FUNCTION rowrunner.remove_ended_edges(kind_id smallint, addresses tid[]) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  job_table CONSTANT regclass := (SELECT c.oid FROM rowrunner.kinds k JOIN pg_class c ON c.oid = k.job_table
                                  WHERE k.id = kind_id);
  removed bigint;
BEGIN
  WITH x AS MATERIALIZED (
    SELECT e.ctid AS address, e.*, w.when_failed FROM rowrunner.edges e
    LEFT JOIN rowrunner.waits w ON w.child_kind = e.child_kind AND w.child_id = e.child_id
    WHERE e.ctid = ANY (addresses) AND e.parent_kind + 0 = kind_id
  ), j AS MATERIALIZED (
    SELECT a.id, a.status FROM rowrunner.jobs_among(job_table, ARRAY(SELECT x.parent_id FROM x)) a
    WHERE job_table IS NOT NULL
  ), ended AS MATERIALIZED (
    SELECT x.*, j.status IS DISTINCT FROM 'succeeded' AND x.when_failed IS NOT DISTINCT FROM 'cancel' AS cancels
    FROM x LEFT JOIN j ON j.id = x.parent_id
    WHERE coalesce(j.status, 'gone') NOT IN ('queued', 'processing')
      AND (j.status IS NOT DISTINCT FROM 'succeeded' OR x.when_failed IS DISTINCT FROM 'hold')
  ), free AS MATERIALIZED (
    SELECT e.ctid AS address FROM rowrunner.edges e
    WHERE e.ctid = ANY (ARRAY(SELECT n.address FROM ended n)) FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM rowrunner.edges WHERE ctid = ANY (ARRAY(SELECT f.address FROM free f))
  )
  INSERT INTO rowrunner.join_candidates (child_kind, child_id, parent_kind, parent_id, failed)
    SELECT n.child_kind, n.child_id, CASE WHEN n.cancels THEN n.parent_kind END,
           CASE WHEN n.cancels THEN n.parent_id END, n.cancels
    FROM ended n JOIN free f ON f.address = n.address;
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN removed;
END
$$;
CREATE FUNCTION rowrunner.remove_missed_edges(of_kind smallint) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  notes CONSTANT tid[] := ARRAY(SELECT c.ctid FROM rowrunner.join_candidates c
                                WHERE c.child_kind IS NULL AND c.parent_kind = of_kind
                                LIMIT 1000 FOR UPDATE SKIP LOCKED);
BEGIN
  PERFORM rowrunner.remove_ended_edges(of_kind, ARRAY(
    SELECT e.ctid FROM rowrunner.join_candidates c
    JOIN rowrunner.edges e ON e.parent_kind = c.parent_kind AND e.parent_id = c.parent_id
    WHERE c.ctid = ANY (notes)));
  DELETE FROM rowrunner.join_candidates c WHERE c.ctid = ANY (notes);
  RETURN cardinality(notes);
EXCEPTION WHEN OTHERS THEN
  -- The next call tries again if it may help: the table is locked, the server is in trouble.
  IF SQLSTATE !~ '^(40|53|55|57|58)' THEN
    RAISE WARNING 'what waits for jobs of kind % that ended is left to the sweep: %',
      (SELECT k.kind FROM rowrunner.kinds k WHERE k.id = of_kind), SQLERRM;
    DELETE FROM rowrunner.join_candidates c WHERE c.ctid = ANY (notes);
  END IF;
  RETURN 0;
END
$$;
CREATE FUNCTION rowrunner.repair(kind text, OUT queued bigint, OUT delayed bigint, OUT failed bigint, OUT lost bigint, OUT removed bigint, OUT problems text[]) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'off'
    AS $$
DECLARE
  mine rowrunner.kinds := rowrunner.kind_named(repair.kind);
  page bigint := 0;
  unleased bigint;
  problem text;
BEGIN
  PERFORM FROM rowrunner.kinds k WHERE k.id = mine.id FOR KEY SHARE;  -- a detach waits
  IF NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = mine.job_table) THEN
    RAISE EXCEPTION 'the table of kind % was dropped', mine.kind USING ERRCODE = 'undefined_table',
      HINT = format('SELECT rowrunner.detach(%L)', mine.kind);
  END IF;
  problems := ARRAY(
    SELECT format('%s: jobs that are written meanwhile have no entry. Run %s, then repair again', t.problem, t.cure)
    FROM (SELECT * FROM rowrunner.trigger_problems(mine)
          UNION ALL SELECT * FROM rowrunner.replication_role_problems()) t);
  FOREACH problem IN ARRAY problems LOOP
    RAISE WARNING '%', problem;
  END LOOP;
  problems := problems || ARRAY(SELECT rowrunner.attach_problems(mine.job_table));
  removed := 0;
  WHILE page < rowrunner.pages_to_sweep() LOOP
    removed := removed + rowrunner.sweep_kind(mine.id, page, 1000) + rowrunner.sweep_joins(mine.id, page, 1000);
    page := page + 1000;
  END LOOP;
  removed := removed + rowrunner.remove_duplicates(mine.id);
  SELECT m.queued, m.delayed, m.failed, m.lost, m.unleased INTO queued, delayed, failed, lost, unleased
    FROM rowrunner.add_missing(mine.id) m;
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
CREATE FUNCTION rowrunner.replication_role_problems() RETURNS TABLE(problem text, cure text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION rowrunner.requeue(kind text, job_id uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  mine CONSTANT rowrunner.kinds := rowrunner.kind_named(requeue.kind);
BEGIN
  IF rowrunner.requeue_row(mine.job_table, requeue.job_id, '{failed,cancelled}', NULL) THEN
    RETURN true;
  END IF;
  UPDATE rowrunner.failures f SET refused_at = clock_timestamp()
    WHERE f.kind = mine.id AND f.job_id = requeue.job_id;
  RETURN false;
END
$$;
CREATE FUNCTION rowrunner.requeue_failed(kind text, at_most integer) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  answer record;
BEGIN
  SELECT * INTO answer FROM rowrunner.requeue_failed(kind, at_most, NULL);
  IF answer.more THEN
    RAISE NOTICE '1000 failed jobs of % were refused by a trigger of its table: call again to try others', kind;
  END IF;
  RETURN answer.requeued;
END
$$;
CREATE FUNCTION rowrunner.requeue_failed(kind text, at_most integer, INOUT as_of timestamp with time zone, OUT requeued bigint, OUT more boolean) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_sort TO 'off'
    AS $$
DECLARE
  mine rowrunner.kinds;
  job uuid;
  refused integer := 0;
BEGIN
  requeued := 0;
  as_of := coalesce(as_of, clock_timestamp());
  SELECT * INTO mine FROM rowrunner.kinds k WHERE k.kind = requeue_failed.kind;
  FOR job IN
    SELECT f.job_id
    FROM ((SELECT n.* FROM rowrunner.failures n
           WHERE n.kind = mine.id AND n.refused_at IS NULL AND n.failed_at <= as_of
           ORDER BY n.kind, n.failed_at, n.job_id)
          UNION ALL
          (SELECT r.* FROM rowrunner.failures r
           WHERE r.kind = mine.id AND r.refused_at < as_of AND r.failed_at <= as_of
           ORDER BY r.kind, r.refused_at)) f
    WHERE NOT (mine.cancelled_status = 'failed'
               AND coalesce(f.error = 'cancelled' OR f.error LIKE 'cancelled: %', false))
  LOOP
    EXIT WHEN requeued >= at_most OR refused >= 1000;
    IF rowrunner.requeue(mine.kind, job) THEN
      requeued := requeued + 1;
    ELSE
      refused := refused + 1;
    END IF;
  END LOOP;
  more := refused >= 1000 AND requeued < at_most;
END
$$;
CREATE FUNCTION rowrunner.requeue_row(job_table regclass, job_id uuid, was text[], at timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
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
$_$;
CREATE FUNCTION rowrunner.rescue(kind_id smallint, at_most integer DEFAULT 100, say_locked boolean DEFAULT false) RETURNS TABLE(job_id uuid, status text, attempts integer, error text, cancelled boolean)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'off'
    SET lock_timeout TO '100ms'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $_$
DECLARE
  mine rowrunner.kinds;
  expired bigint[];
  failed bigint[] := '{}';
  back record;
BEGIN
  SELECT * INTO STRICT mine FROM rowrunner.kinds k WHERE k.id = rescue.kind_id;
  expired := ARRAY(SELECT e.lease FROM rowrunner.leases e
                   WHERE e.kind = rescue.kind_id AND e.expires_at < clock_timestamp()
                   ORDER BY e.expires_at, e.lease LIMIT rescue.at_most FOR UPDATE SKIP LOCKED);
  IF expired = '{}' THEN
    RETURN;
  END IF;
  FOR back IN
    SELECT r.* FROM (SELECT array_agg(n.id) AS ids, array_agg(l.lease) AS leases,
                            array_agg(l.worker) AS workers
                     FROM rowrunner.leases l CROSS JOIN unnest(l.job_ids) n (id)
                     WHERE l.lease = ANY (expired)) named,
         rowrunner.rescue_jobs(mine, named.ids, named.leases, named.workers,
                               clock_timestamp() + interval '1 second') r
  LOOP
    IF back.error IS NOT NULL THEN
      failed := failed || back.lease;
    END IF;
    RETURN QUERY VALUES (back.job_id, back.status, back.attempts, back.error, back.cancelled);
  END LOOP;
  EXECUTE format($sql$
    DELETE FROM rowrunner.leases l
    WHERE l.lease = ANY ($1) AND NOT EXISTS (
      SELECT FROM unnest(l.job_ids) n (id) JOIN %s t ON t.id = n.id
      WHERE CASE WHEN t.status = 'processing' THEN t.lease = l.lease END) $sql$, mine.job_table)
    USING expired;
  UPDATE rowrunner.leases l
    SET failed_rescues = least(l.failed_rescues + (l.lease = ANY (failed))::integer, 10),
        expires_at = clock_timestamp()
          + CASE WHEN l.lease = ANY (failed) THEN least(2 ^ l.failed_rescues, 600) ELSE 1 END * interval '1 s'
    WHERE l.lease = ANY (expired);
  IF say_locked AND EXISTS (SELECT FROM rowrunner.leases l
                            WHERE l.lease = ANY (expired) AND l.lease <> ALL (failed)) THEN
    RETURN QUERY VALUES (NULL::uuid, 'locked', NULL::integer, NULL::text, false);
  END IF;
END
$_$;
CREATE FUNCTION rowrunner.rescue_jobs(mine rowrunner.kinds, ids uuid[], leases bigint[], workers text[], until timestamp with time zone) RETURNS TABLE(job_id uuid, lease bigint, status text, attempts integer, error text, cancelled boolean)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
  back jsonb;
  unchanged uuid;
  reason text;
  half CONSTANT integer := cardinality(ids) / 2;
BEGIN
  IF clock_timestamp() > until THEN
    RETURN;
  END IF;
  BEGIN
    EXECUTE format($sql$
      WITH held AS MATERIALIZED (
        SELECT t.id, t.lease, t.locked_at, n.worker,
               (SELECT c.reason FROM rowrunner.cancellations c
                WHERE c.lease = n.lease AND c.job_id = n.id) AS reason
        FROM unnest($1, $2, $3) n (id, lease, worker) JOIN %1$s t ON t.id = n.id
        WHERE CASE WHEN t.status = 'processing' THEN t.lease = n.lease END
        FOR UPDATE OF t SKIP LOCKED
      ), judged AS MATERIALIZED (
        SELECT h.*, (NOT rowrunner.stored_a_step($5, h.id, h.locked_at))::integer AS charge FROM held h
      ), back AS (
        UPDATE %1$s t
        SET attempts = least(t.attempts, 2147483646) + h.charge,
            status = CASE WHEN h.reason IS NOT NULL THEN $4
                          WHEN h.charge = 1 AND least(t.attempts, 2147483646) + 1 >= t.max_attempts
                          THEN 'failed'
                          ELSE 'queued' END,
            last_error = coalesce(h.reason, 'worker ' || h.worker || ' was lost'),
            lease = NULL, locked_at = NULL, locked_by = NULL, updated_at = now()
        FROM judged h
        WHERE t.id = h.id AND t.status = 'processing' AND t.lease = h.lease
        RETURNING t.id, h.lease, t.status, t.attempts, t.last_error, h.worker, h.charge, h.reason
      ), noted AS (
        INSERT INTO rowrunner.attempts (kind, job_id, attempt, worker, error)
        SELECT $5, b.id, CASE b.charge WHEN 1 THEN b.attempts ELSE least(b.attempts, 2147483646) + 1 END,
               b.worker, b.last_error FROM back b
      )
      SELECT (SELECT jsonb_agg(jsonb_build_object('job_id', b.id, 'lease', b.lease, 'status', b.status,
                                                  'attempts', b.attempts,
                                                  'cancelled', b.reason IS NOT NULL)) FROM back b),
             (SELECT h.id FROM held h
              WHERE NOT EXISTS (SELECT FROM back b WHERE b.id = h.id AND b.status <> 'processing') LIMIT 1)
      $sql$, mine.job_table)
    INTO back, unchanged USING ids, leases, workers, mine.cancelled_status, mine.id;
    IF unchanged IS NOT NULL THEN
      PERFORM rowrunner.refuse_end(unchanged);
    END IF;
  EXCEPTION WHEN OTHERS THEN
    IF NOT rowrunner.concerns_one_row(SQLSTATE) THEN
      RAISE;
    END IF;
    reason := SQLERRM;
  END;
  IF reason IS NULL THEN
    RETURN QUERY SELECT r.job_id, r.lease, r.status, r.attempts, NULL::text, r.cancelled
      FROM jsonb_to_recordset(back)
        AS r (job_id uuid, lease bigint, status text, attempts integer, cancelled boolean);
  ELSIF half = 0 THEN
    RETURN QUERY VALUES (ids[1], leases[1], NULL::text, NULL::integer, reason, false);
  ELSE
    RETURN QUERY SELECT * FROM rowrunner.rescue_jobs(mine, ids[:half], leases[:half], workers[:half], until);
    RETURN QUERY SELECT * FROM rowrunner.rescue_jobs(mine, ids[half + 1:], leases[half + 1:],
                                                     workers[half + 1:], until);
  END IF;
END
$_$;
CREATE FUNCTION rowrunner.run_after(child_kind text, child_id uuid, parent_kind text, parent_ids uuid[], when_failed text DEFAULT NULL::text, at_latest interval DEFAULT NULL::interval) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
  child CONSTANT rowrunner.kinds := rowrunner.kind_named(run_after.child_kind);
  parent CONSTANT rowrunner.kinds := rowrunner.kind_named(run_after.parent_kind);
  waiting rowrunner.waits;
  policy text;
  open uuid[];
  bad uuid[];
  named integer;
BEGIN
  PERFORM rowrunner.check_join(child, run_after.child_id, parent, parent_ids, run_after.when_failed,
                               run_after.at_latest);
  waiting := rowrunner.lock_wait(child, run_after.child_id);
  policy := coalesce(run_after.when_failed, waiting.when_failed, 'run');
  IF policy <> waiting.when_failed THEN
    RAISE EXCEPTION 'job % waits with when_failed => %, which cannot change', run_after.child_id,
      quote_literal(waiting.when_failed) USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SELECT p.open, p.bad, p.named INTO open, bad, named FROM rowrunner.lock_parents(parent, parent_ids, policy) p;
  IF policy <> 'cancel' THEN
    bad := NULL;
  END IF;
  IF waiting.when_failed IS NULL THEN
    IF open IS NULL AND bad IS NULL THEN
      RETURN 0;
    END IF;
    PERFORM rowrunner.forget_wait(child.id, run_after.child_id);
    DELETE FROM rowrunner.join_candidates c WHERE c.child_kind = child.id AND c.child_id = run_after.child_id;
    INSERT INTO rowrunner.waits (child_kind, child_id, run_at, when_failed, at_latest, parents)
      VALUES (child.id, run_after.child_id, waiting.run_at, policy, clock_timestamp() + run_after.at_latest, 0);
    PERFORM rowrunner.hold_row(child.job_table, run_after.child_id);
  END IF;
  PERFORM rowrunner.refuse_cycle(child, run_after.child_id, parent, open);
  UPDATE rowrunner.waits w
    SET parents = w.parents + named, at_latest = coalesce(clock_timestamp() + run_after.at_latest, w.at_latest)
    WHERE w.child_kind = child.id AND w.child_id = run_after.child_id AND w.parents + named <= 100000;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'run_after: a job can wait for 100000 parents at most' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  -- What an earlier end of these parents has noted must not remove the new edge.
  DELETE FROM rowrunner.join_candidates c
    WHERE c.child_kind = child.id AND c.child_id = run_after.child_id AND c.parent_kind = parent.id
      AND c.parent_id = ANY (open) AND NOT (c.failed AND policy = 'cancel');
  INSERT INTO rowrunner.edges (parent_kind, parent_id, child_kind, child_id)
    SELECT parent.id, i, child.id, run_after.child_id FROM unnest(open) i ON CONFLICT DO NOTHING;
  INSERT INTO rowrunner.join_candidates (child_kind, child_id, parent_kind, parent_id, failed)
    SELECT child.id, run_after.child_id, parent.id, bad[1], true WHERE bad IS NOT NULL;
  RETURN coalesce(cardinality(open), 0);
END
$$;
CREATE FUNCTION rowrunner.run_now(kind text, job_id uuid) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  mine rowrunner.kinds := rowrunner.kind_named(run_now.kind);
  job record;
BEGIN
  SELECT * INTO job FROM rowrunner.child_row(mine.job_table, run_now.job_id);
  IF job.found_status = 'queued' AND EXISTS (SELECT FROM rowrunner.waits w WHERE w.child_kind = mine.id
                                                                          AND w.child_id = run_now.job_id) THEN
    RETURN 'held';
  END IF;
  IF job.found_status = 'queued' AND job.found_run_at > now() THEN
    PERFORM rowrunner.unhold_row(mine.job_table, run_now.job_id, now());
  END IF;
  RETURN job.found_status;
END
$$;
CREATE FUNCTION rowrunner.set_aside_untaken(kind smallint, job_table regclass, ids uuid[], priorities smallint[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
BEGIN
  EXECUTE format($sql$
    INSERT INTO rowrunner.delayed (kind, run_at, priority, job_id)
    SELECT $1, CASE WHEN u.run_at > now() THEN u.run_at
                    ELSE rowrunner.pass_over($1, u.id, 'the UPDATE that takes the job changed no row') END,
           u.priority, u.id
    FROM (SELECT j.id, j.priority, j.run_at
          FROM unnest($2, $3) AS e (id, priority) JOIN %s j ON j.id = e.id
          WHERE j.status = 'queued' AND j.priority = e.priority AND j.run_at < 'infinity'
          FOR NO KEY UPDATE OF j SKIP LOCKED) u $sql$, job_table)
    USING kind, ids, priorities;
END
$_$;
CREATE FUNCTION rowrunner.share_rows(job_table regclass, ids uuid[]) RETURNS TABLE(id uuid, status text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET row_security TO 'off'
    SET enable_seqscan TO 'off'
    AS $_$
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
$_$;
CREATE FUNCTION rowrunner.snapshot_may_be_old() RETURNS boolean
    LANGUAGE sql STABLE
    RETURN (current_setting('transaction_isolation'::text) <> ALL (ARRAY['read committed'::text, 'read uncommitted'::text]));
CREATE FUNCTION rowrunner.step(kind text, job_id uuid, lease bigint, step text, result jsonb DEFAULT 'null'::jsonb) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
  mine rowrunner.kinds := rowrunner.kind_named(step.kind);
  n integer;
BEGIN
  PERFORM rowrunner.refuse_unless(step.step <> '', 'step is NULL or empty, must be a name',
                                  'A later attempt finds the result by this name.');
  PERFORM rowrunner.refuse_unless(octet_length(step.step) <= 1000,
                                  format('the name of the step has %s bytes, must have at most 1000',
                                         octet_length(step.step)),
                                  'Put what it is about into the result.');
  EXECUTE format($sql$
    INSERT INTO rowrunner.steps (kind, job_id, step, result)
    SELECT $1, held.id, $4, $5
    FROM (SELECT j.id FROM %s j WHERE j.id = $2 AND j.status = 'processing' AND j.lease = $3
          FOR NO KEY UPDATE) held
    ON CONFLICT (kind, job_id, step) DO UPDATE SET result = excluded.result $sql$,
    mine.job_table)
    USING mine.id, step.job_id, step.lease, step.step, coalesce(step.result, 'null');
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n = 1;
END
$_$;
CREATE FUNCTION rowrunner.steps(kind text, job_id uuid) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  SELECT coalesce(jsonb_object_agg(s.step, s.result), '{}') FROM rowrunner.steps s
  WHERE s.kind = (rowrunner.kind_named($1)).id AND s.job_id = $2
$_$;
CREATE FUNCTION rowrunner.stored_a_step(kind smallint, job_id uuid, since timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  RETURN EXISTS (SELECT FROM rowrunner.steps s
                 WHERE s.kind = stored_a_step.kind AND s.job_id = stored_a_step.job_id
                   AND s.created_at >= stored_a_step.since);
END
$$;
CREATE FUNCTION rowrunner.strike_from_lease(lease bigint, job_id uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  UPDATE rowrunner.leases l SET job_ids = array_remove(l.job_ids, strike_from_lease.job_id)
    WHERE l.lease = strike_from_lease.lease;
  DELETE FROM rowrunner.leases l WHERE l.lease = strike_from_lease.lease AND l.job_ids = '{}';
END
$$;
CREATE FUNCTION rowrunner.succeed(kind text, job_id uuid, lease bigint) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
  mine rowrunner.kinds := rowrunner.kind_named(succeed.kind);
  child_kinds CONSTANT smallint[] := CASE WHEN mine.joins THEN rowrunner.kinds_after(mine.id, succeed.job_id) END;
  worker text;
BEGIN
  PERFORM FROM rowrunner.leases l WHERE l.lease = succeed.lease FOR UPDATE;
  EXECUTE format('UPDATE %s SET status = ''succeeded'', updated_at = now()'
                 ' WHERE id = $1 AND status = ''processing'' AND lease = $2'
                 ' RETURNING CASE WHEN status <> ''processing'' THEN coalesce(locked_by, '''')'
                 '                ELSE rowrunner.refuse_end(id) END', mine.job_table)
    INTO worker USING succeed.job_id, succeed.lease;
  IF worker IS NULL THEN
    RETURN false;
  END IF;
  PERFORM rowrunner.strike_from_lease(succeed.lease, succeed.job_id);
  PERFORM rowrunner.count_jobs(mine.id, worker, succeeded => 1);
  IF child_kinds <> '{}' THEN
    PERFORM rowrunner.fire_noted(child_kinds);
  END IF;
  RETURN true;
END
$_$;
CREATE FUNCTION rowrunner.sweep(from_page bigint DEFAULT 0, pages bigint DEFAULT NULL::bigint, OUT removed bigint, OUT next_page bigint) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  mine rowrunner.kinds;
BEGIN
  removed := 0;
  next_page := from_page;
  IF from_page = 0 THEN
    DELETE FROM rowrunner.counters WHERE minute < now() - interval '7 days';
    DELETE FROM rowrunner.workers WHERE seen_at < now() - interval '1 day';
    DELETE FROM rowrunner.claim_errors WHERE failed_at < now() - interval '1 hour';
    DELETE FROM rowrunner.cancellations c
      WHERE c.requested_at < now() - interval '1 minute'
        AND NOT EXISTS (SELECT FROM rowrunner.leases l WHERE l.lease = c.lease);
  END IF;
  LOOP
    FOR mine IN SELECT * FROM rowrunner.kinds k ORDER BY k.id LOOP
      BEGIN
        removed := removed + rowrunner.sweep_kind(mine.id, next_page, coalesce(pages, 1000))
                   + rowrunner.sweep_joins(mine.id, next_page, coalesce(pages, 1000));
      EXCEPTION WHEN OTHERS THEN  -- whatever is wrong with one table, the others are swept
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
CREATE FUNCTION rowrunner.sweep_joins(kind_id smallint, from_page bigint, pages bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '1s'
    SET enable_seqscan TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE
  first_row CONSTANT tid := format('(%s,0)', from_page);
  end_row CONSTANT tid := format('(%s,0)', least(from_page + pages, 4294967294));
  removed CONSTANT bigint := rowrunner.remove_ended_edges(kind_id, ARRAY(
    SELECT e.ctid FROM rowrunner.edges e
    WHERE e.ctid >= first_row AND e.ctid < end_row AND e.parent_kind + 0 = kind_id));
BEGIN
  DELETE FROM rowrunner.edges WHERE ctid = ANY (ARRAY(
    SELECT e.ctid FROM rowrunner.edges e
    WHERE e.ctid >= first_row AND e.ctid < end_row AND e.child_kind + 0 = kind_id
      AND NOT EXISTS (SELECT FROM rowrunner.waits w WHERE w.child_kind = e.child_kind AND w.child_id = e.child_id)
    FOR UPDATE SKIP LOCKED));
  INSERT INTO rowrunner.join_candidates (child_kind, child_id)
    SELECT w.child_kind, w.child_id FROM rowrunner.waits w
    WHERE w.ctid >= first_row AND w.ctid < end_row AND w.child_kind + 0 = kind_id
      AND (w.cancel_reason IS NOT NULL OR NOT EXISTS (
             SELECT FROM rowrunner.edges e WHERE e.child_kind = w.child_kind AND e.child_id = w.child_id))
      AND NOT EXISTS (SELECT FROM rowrunner.join_candidates c
                      WHERE c.child_kind = w.child_kind AND c.child_id = w.child_id);
  PERFORM rowrunner.fire_deferred();
  RETURN removed;
END
$$;
CREATE FUNCTION rowrunner.sweep_kind(kind_id smallint, from_page bigint, pages bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET lock_timeout TO '1s'
    SET enable_seqscan TO 'off'
    SET enable_nestloop TO 'off'
    SET enable_mergejoin TO 'off'
    AS $_$
DECLARE
  first_row CONSTANT tid := format('(%s,0)', from_page);
  end_row CONSTANT tid := format('(%s,0)', least(from_page + pages, 4294967294));
  job_table CONSTANT regclass := (SELECT c.oid FROM rowrunner.kinds k JOIN pg_class c ON c.oid = k.job_table
                                  WHERE k.id = kind_id);
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
                ' WHERE o.kind = x.kind AND o.run_at = j.run_at AND o.job_id = j.id'
                ' AND o.priority = j.priority))'),
    ('failures', 'j.status = ''failed'''), ('steps', 'true'), ('progress', 'true'), ('attempts', 'true')
  LOOP
    EXECUTE format($sql$
      WITH x AS MATERIALIZED (
        SELECT e.*, e.ctid AS address FROM rowrunner.%I e
        WHERE e.ctid >= $1 AND e.ctid < $2 AND e.kind + 0 = $3
      ), j AS MATERIALIZED (
        SELECT a.* FROM rowrunner.jobs_among($4, ARRAY(SELECT x.job_id FROM x)) a WHERE $4 IS NOT NULL
      )
      DELETE FROM rowrunner.%1$I WHERE ctid = ANY (ARRAY(
        SELECT x.address FROM x WHERE NOT EXISTS (SELECT FROM j WHERE j.id = x.job_id AND %s))) $sql$,
      store, matches) USING first_row, end_row, kind_id, job_table;
    GET DIAGNOSTICS n = ROW_COUNT;
    removed := removed + n;
  END LOOP;
  PERFORM rowrunner.fire_deferred();
  RETURN removed;
END
$_$;
CREATE FUNCTION rowrunner.table_problems(job_table regclass) RETURNS SETOF text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT format('%s is not an ordinary table but a %s', job_table,
                CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
                               WHEN 'p' THEN 'partitioned table' WHEN 'f' THEN 'foreign table'
                               ELSE 'relation of kind ' || c.relkind::text END)
  FROM pg_class c WHERE c.oid = job_table AND c.relkind <> 'r'
  UNION ALL
  -- Statement triggers do not fire for rows that come in through another table.
  SELECT format('it is %s %s, and INSERTs there would not be seen',
                CASE WHEN c.relispartition THEN 'a partition of' ELSE 'an inheritance child of' END,
                i.inhparent::regclass)
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhrelid = job_table
  UNION ALL
  SELECT format('%s inherits from it, and INSERTs there would not be seen', i.inhrelid::regclass)
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhparent
  WHERE i.inhparent = job_table AND c.relkind <> 'p'
  UNION ALL
  SELECT 'it is a temporary table, which no worker sees'
  FROM pg_class c WHERE c.oid = job_table AND c.relpersistence = 't'
  UNION ALL
  SELECT format('it is unlogged, and a crash of the server would lose its jobs: ALTER TABLE %s SET LOGGED',
                job_table)
  FROM pg_class c WHERE c.oid = job_table AND c.relpersistence = 'u'
  UNION ALL
  SELECT format('row level security is on, which hides jobs from workers:'
                ' ALTER TABLE %s DISABLE ROW LEVEL SECURITY', job_table)
  FROM pg_class c WHERE c.oid = job_table AND c.relrowsecurity
  UNION ALL
  SELECT format('rule %s changes what is written: use a trigger instead', quote_ident(r.rulename))
  FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
  WHERE r.ev_class = job_table AND c.relkind IN ('r', 'p')
$$;
CREATE FUNCTION rowrunner.trigger_problems(mine rowrunner.kinds) RETURNS TABLE(problem text, cure text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT format('trigger %s is %s', name, CASE WHEN t.oid IS NULL THEN 'missing' ELSE 'disabled' END),
         format('SELECT rowrunner.attach(%L, kind => %L)', mine.job_table, mine.kind)
  FROM unnest('{rowrunner_insert,rowrunner_update,rowrunner_delete,rowrunner_truncate}'::name[]
              || CASE WHEN mine.joins THEN '{rowrunner_parent_update,rowrunner_parent_delete}'::name[] END) name
  LEFT JOIN pg_trigger t ON t.tgrelid = mine.job_table AND t.tgname = name
  WHERE t.oid IS NULL OR t.tgenabled NOT IN ('O', 'A')
$$;
CREATE FUNCTION rowrunner.try_to_fire(waiting rowrunner.waits, OUT verdict text, OUT reason text) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  verdict := rowrunner.fire_child(waiting);
EXCEPTION WHEN query_canceled OR assert_failure OR OTHERS THEN
  IF SQLSTATE !~ '^(40|53|55|57|58)' THEN
    PERFORM rowrunner.put_off_join(waiting, SQLERRM);
    verdict := 'put off';
    RETURN;
  END IF;
  verdict := 'blocked';
  reason := format('job %s waited for others and cannot be run now: %s', waiting.child_id, SQLERRM);
  IF SQLSTATE ~ '^5[378]' THEN
    RAISE WARNING '%', reason;
  END IF;
END
$$;
CREATE FUNCTION rowrunner.unended_jobs(job_table regclass, percent real) RETURNS TABLE(id uuid, status text, priority smallint, run_at timestamp with time zone, created_at timestamp with time zone, updated_at timestamp with time zone, attempts integer, last_error text, lease bigint, locked_by text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    SET row_security TO 'off'
    AS $$
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
CREATE FUNCTION rowrunner.unhold_held(mine rowrunner.kinds) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  waiting rowrunner.waits;
BEGIN
  FOR waiting IN SELECT * FROM rowrunner.waits w WHERE w.child_kind = mine.id LOOP
    BEGIN
      PERFORM rowrunner.unhold_row(mine.job_table, waiting.child_id, waiting.run_at);
    EXCEPTION WHEN assert_failure OR OTHERS THEN
      RAISE WARNING 'job % waited for others, and its row stays as it is: %', waiting.child_id, SQLERRM;
    END;
  END LOOP;
  PERFORM rowrunner.fire_deferred();
END
$$;
CREATE FUNCTION rowrunner.unhold_row(job_table regclass, job_id uuid, at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'off'
    AS $_$
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
$_$;
CREATE FUNCTION rowrunner.value_problems(job_table regclass) RETURNS SETOF text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
  found record;
  fits boolean;
BEGIN
  FOR found IN
    SELECT wanted.*, c.usual_default, pg_get_expr(d.adbin, d.adrelid) AS expression,
           rowrunner.only_computes(d.adbin, 'pg_attrdef', d.oid, job_table) AS can_be_tried
    FROM (VALUES ('status', '= ''queued'''), ('attempts', '= 0'), ('max_attempts', '> 0'),
                 ('priority', 'IS NOT NULL'), ('run_at', '<= now()')) AS wanted (name, test)
    JOIN rowrunner.job_columns() c ON c.name = wanted.name
    JOIN pg_attribute a ON a.attrelid = job_table AND a.attname = c.name AND a.attgenerated = ''
                       AND format_type(a.atttypid, NULL) = c.type
    JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  LOOP
    fits := found.name <> 'status';
    IF found.can_be_tried THEN
      BEGIN
        EXECUTE format('SELECT (%s) %s', found.expression, found.test) INTO fits;
      EXCEPTION WHEN OTHERS THEN
        fits := false;
      END;
    END IF;
    IF fits IS NOT TRUE THEN
      RETURN NEXT format('the default of %1$s is %2$s: ALTER TABLE %3$s ALTER COLUMN %1$s SET DEFAULT %4$s',
                         found.name, found.expression, job_table, found.usual_default);
    END IF;
  END LOOP;
  RETURN QUERY
    SELECT format('%s refuses status %L: it must allow queued, processing, succeeded and failed',
                  quote_ident(r.conname), word)
    FROM unnest(ARRAY['queued', 'processing', 'succeeded', 'failed']) word,
         rowrunner.refuses_status(job_table, word) AS r (conname)
    WHERE r.conname IS NOT NULL;
END
$_$;
CREATE FUNCTION rowrunner.waits_for_success(of_kind smallint, job_id uuid) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT EXISTS (SELECT FROM rowrunner.waits w
                 WHERE w.child_kind = of_kind AND w.child_id = job_id AND w.when_failed = 'hold')
$$;
CREATE FUNCTION rowrunner.wake(flag regclass, kind_name text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  until CONSTANT bigint := pg_sequence_last_value(flag);
BEGIN
  IF until > EXTRACT(epoch FROM clock_timestamp()) * 1000 THEN
    PERFORM setval(flag, 1);
    IF current_setting('max_prepared_transactions') = '0' THEN
      PERFORM pg_notify('rowrunner', kind_name);
    ELSE
      INSERT INTO rowrunner.wakeups (kind, armed_until) VALUES (kind_name, until);
    END IF;
  END IF;
END
$$;
CREATE FUNCTION rowrunner.warn_of_retention(before rowrunner.kinds, after rowrunner.kinds) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION rowrunner.warn_of_triggers(job_table regclass) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION rowrunner.worker_seen(worker text, kind text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  found_kinds text[];
  found_seen timestamptz;
BEGIN
  SELECT w.kinds, w.seen_at INTO found_kinds, found_seen
    FROM rowrunner.workers w WHERE w.worker = worker_seen.worker;
  IF NOT FOUND THEN
    -- An INSERT would wait for another one of the same name that has not committed.
    IF pg_try_advisory_xact_lock(hashtextextended('rowrunner.workers ' || worker_seen.worker, 0)) THEN
      INSERT INTO rowrunner.workers (worker, kinds, version)
        VALUES (worker_seen.worker, ARRAY[worker_seen.kind], 'sql') ON CONFLICT DO NOTHING;
    END IF;
  ELSIF found_seen < clock_timestamp() - interval '5 seconds' OR worker_seen.kind <> ALL (found_kinds) THEN
    UPDATE rowrunner.workers w
      SET seen_at = clock_timestamp(),
          kinds = CASE WHEN worker_seen.kind = ANY (w.kinds) THEN w.kinds ELSE w.kinds || worker_seen.kind END
      WHERE w.worker = (SELECT o.worker FROM rowrunner.workers o WHERE o.worker = worker_seen.worker
                        FOR UPDATE SKIP LOCKED);
  END IF;
END
$$;
CREATE TABLE rowrunner.attempts (
    id bigint NOT NULL,
    kind smallint NOT NULL,
    job_id uuid NOT NULL,
    attempt integer NOT NULL,
    worker text,
    started_at timestamp with time zone,
    ended_at timestamp with time zone DEFAULT now() NOT NULL,
    error text NOT NULL
);
ALTER TABLE rowrunner.attempts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME rowrunner.attempts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE rowrunner.cancellations (
    lease bigint NOT NULL,
    job_id uuid NOT NULL,
    reason text NOT NULL,
    requested_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE rowrunner.claim_errors (
    kind smallint NOT NULL,
    job_id uuid NOT NULL,
    error text NOT NULL,
    tries integer DEFAULT 1 NOT NULL,
    failed_at timestamp with time zone DEFAULT now() NOT NULL,
    retry_at timestamp with time zone NOT NULL
);
CREATE TABLE rowrunner.counters (
    minute timestamp with time zone NOT NULL,
    kind smallint NOT NULL,
    worker text NOT NULL,
    claimed bigint DEFAULT 0 NOT NULL,
    succeeded bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL,
    retried bigint DEFAULT 0 NOT NULL,
    rescued bigint DEFAULT 0 NOT NULL,
    released bigint DEFAULT 0 NOT NULL,
    refused bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE rowrunner.delayed (
    kind smallint NOT NULL,
    run_at timestamp with time zone NOT NULL,
    priority smallint NOT NULL,
    job_id uuid NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_cost_delay='0');
CREATE TABLE rowrunner.edges (
    parent_kind smallint NOT NULL,
    parent_id uuid NOT NULL,
    child_kind smallint NOT NULL,
    child_id uuid NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_cost_delay='0');
CREATE TABLE rowrunner.failures (
    kind smallint NOT NULL,
    job_id uuid NOT NULL,
    failed_at timestamp with time zone DEFAULT now() NOT NULL,
    attempts integer NOT NULL,
    error text,
    refused_at timestamp with time zone,
    fingerprint bigint GENERATED ALWAYS AS (hashtextextended(regexp_replace("left"(COALESCE(error, ''::text), 300), '\m(?![45][0-9]{2}\M)[A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]*'::text, '#'::text, 'g'::text), (0)::bigint)) STORED NOT NULL
);
CREATE TABLE rowrunner.join_candidates (
    child_kind smallint,
    child_id uuid,
    parent_kind smallint,
    parent_id uuid,
    failed boolean DEFAULT false NOT NULL,
    CONSTRAINT child_or_parent CHECK ((((child_kind IS NULL) = (child_id IS NULL)) AND (COALESCE(child_id, parent_id) IS NOT NULL)))
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', autovacuum_vacuum_cost_delay='0');
ALTER TABLE rowrunner.kinds ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME rowrunner.kinds_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE rowrunner.leases (
    lease bigint NOT NULL,
    kind smallint NOT NULL,
    worker text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    job_ids uuid[] NOT NULL,
    lease_for interval,
    failed_rescues smallint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', autovacuum_vacuum_cost_delay='0');
ALTER TABLE ONLY rowrunner.leases ALTER COLUMN job_ids SET STORAGE EXTERNAL;
CREATE TABLE rowrunner.workers (
    worker text NOT NULL,
    kinds text[] NOT NULL,
    version text NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL,
    problems jsonb DEFAULT '{}'::jsonb NOT NULL
)
WITH (fillfactor='50');
CREATE VIEW rowrunner.live_workers AS
 SELECT worker,
    kinds,
    problems
   FROM rowrunner.workers w
  WHERE (seen_at > (now() - '00:00:30'::interval));
CREATE TABLE rowrunner.migrations (
    component text NOT NULL,
    version integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE rowrunner.progress (
    kind smallint NOT NULL,
    job_id uuid NOT NULL,
    done bigint NOT NULL,
    total bigint NOT NULL,
    message text NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT progress_check CHECK (((done >= 0) AND (total >= 0)))
)
WITH (fillfactor='50');
CREATE TABLE rowrunner.queue (
    kind smallint NOT NULL,
    priority smallint NOT NULL,
    seq bigint NOT NULL,
    job_id uuid NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000', autovacuum_vacuum_insert_scale_factor='0.2', autovacuum_vacuum_cost_delay='0');
CREATE SEQUENCE rowrunner.queue_back
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE SEQUENCE rowrunner.queue_front
    START WITH -1
    INCREMENT BY -1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE rowrunner.schema_info (
    only_row boolean DEFAULT true NOT NULL,
    version integer NOT NULL,
    oldest_binary integer NOT NULL,
    CONSTRAINT schema_info_only_row_check CHECK (only_row)
);
CREATE TABLE rowrunner.steps (
    kind smallint NOT NULL,
    job_id uuid NOT NULL,
    step text NOT NULL,
    result jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE UNLOGGED TABLE rowrunner.wakeups (
    id bigint NOT NULL,
    kind text NOT NULL,
    armed_until bigint NOT NULL
);
ALTER TABLE rowrunner.wakeups ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME rowrunner.wakeups_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY rowrunner.attempts
    ADD CONSTRAINT attempts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY rowrunner.cancellations
    ADD CONSTRAINT cancellations_pkey PRIMARY KEY (lease, job_id);
ALTER TABLE ONLY rowrunner.claim_errors
    ADD CONSTRAINT claim_errors_pkey PRIMARY KEY (kind, job_id);
ALTER TABLE ONLY rowrunner.counters
    ADD CONSTRAINT counters_pkey PRIMARY KEY (minute, kind, worker);
ALTER TABLE ONLY rowrunner.edges
    ADD CONSTRAINT edges_pkey PRIMARY KEY (parent_kind, parent_id, child_kind, child_id);
ALTER TABLE ONLY rowrunner.failures
    ADD CONSTRAINT failures_pkey PRIMARY KEY (kind, job_id);
ALTER TABLE ONLY rowrunner.kinds
    ADD CONSTRAINT kinds_job_table_key UNIQUE (job_table);
ALTER TABLE ONLY rowrunner.kinds
    ADD CONSTRAINT kinds_kind_key UNIQUE (kind);
ALTER TABLE ONLY rowrunner.kinds
    ADD CONSTRAINT kinds_pkey PRIMARY KEY (id);
ALTER TABLE ONLY rowrunner.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (lease);
ALTER TABLE ONLY rowrunner.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (component, version);
ALTER TABLE ONLY rowrunner.progress
    ADD CONSTRAINT progress_pkey PRIMARY KEY (kind, job_id);
ALTER TABLE ONLY rowrunner.queue
    ADD CONSTRAINT queue_pkey PRIMARY KEY (kind, priority, seq);
ALTER TABLE ONLY rowrunner.schema_info
    ADD CONSTRAINT schema_info_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY rowrunner.steps
    ADD CONSTRAINT steps_pkey PRIMARY KEY (kind, job_id, step);
ALTER TABLE ONLY rowrunner.waits
    ADD CONSTRAINT waits_pkey PRIMARY KEY (child_kind, child_id);
ALTER TABLE ONLY rowrunner.wakeups
    ADD CONSTRAINT wakeups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY rowrunner.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (worker);
CREATE INDEX attempts_of_job ON rowrunner.attempts USING btree (kind, job_id);
CREATE INDEX candidates_of_child ON rowrunner.join_candidates USING btree (child_kind, child_id);
CREATE INDEX delayed_due ON rowrunner.delayed USING btree (kind, run_at);
CREATE INDEX edges_of_child ON rowrunner.edges USING btree (child_kind, child_id);
CREATE INDEX failures_alike ON rowrunner.failures USING btree (kind, fingerprint, failed_at, job_id);
CREATE INDEX failures_newest ON rowrunner.failures USING btree (kind, failed_at, job_id);
CREATE INDEX failures_refused ON rowrunner.failures USING btree (kind, refused_at) WHERE (refused_at IS NOT NULL);
CREATE INDEX waits_at_latest ON rowrunner.waits USING btree (at_latest) WHERE (at_latest IS NOT NULL);
CREATE CONSTRAINT TRIGGER rowrunner_wakeup AFTER INSERT ON rowrunner.wakeups DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION rowrunner.on_wakeup();
GRANT USAGE ON SCHEMA rowrunner TO rowrunner_engine;
GRANT USAGE ON SCHEMA rowrunner TO rowrunner_worker;
GRANT USAGE ON SCHEMA rowrunner TO rowrunner_app;
REVOKE ALL ON FUNCTION rowrunner.add_job_columns(job_table regclass, old_status text) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.add_missing(kind_id smallint, OUT queued bigint, OUT delayed bigint, OUT failed bigint, OUT lost bigint, OUT unleased bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.add_step(kind text, job_id uuid, lease bigint, step text, result jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.add_step(kind text, job_id uuid, lease bigint, step text, result jsonb) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.attach(job_table regclass, kind text, retention interval, failed_retention interval, add_columns boolean, enqueue_existing boolean, joins boolean, owner name, public_id name, co_owner name) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.attach_problems(job_table regclass, add_columns boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.cancel(kind text, job_id uuid, reason text, cascade boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.cancel(kind text, job_id uuid, reason text, cascade boolean) TO rowrunner_worker;
GRANT ALL ON FUNCTION rowrunner.cancel(kind text, job_id uuid, reason text, cascade boolean) TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rowrunner.waits TO rowrunner_engine;
GRANT SELECT ON TABLE rowrunner.waits TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner.waits TO rowrunner_app;
REVOKE ALL ON FUNCTION rowrunner.cancel_reason_of(waiting rowrunner.waits, noted tid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.cancel_reason_of(waiting rowrunner.waits, noted tid[]) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.cancel_requested(job_id uuid, lease bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.cancel_requested(job_id uuid, lease bigint) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.cancel_row(job_table regclass, job_id uuid, new_status text, reason text, OUT found_status text, OUT found_lease bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.cancel_row(job_table regclass, job_id uuid, new_status text, reason text, OUT found_status text, OUT found_lease bigint) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.cancelled_status_of(job_table regclass) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.changing_indexes(job_table regclass) FROM PUBLIC;
GRANT SELECT ON TABLE rowrunner.kinds TO rowrunner_engine;
GRANT SELECT ON TABLE rowrunner.kinds TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner.kinds TO rowrunner_app;
GRANT UPDATE(paused) ON TABLE rowrunner.kinds TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.check_join(child rowrunner.kinds, child_id uuid, parent rowrunner.kinds, parent_ids uuid[], when_failed text, at_latest interval) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.check_join(child rowrunner.kinds, child_id uuid, parent rowrunner.kinds, parent_ids uuid[], when_failed text, at_latest interval) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.check_lease_for(lease_for interval) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.check_lease_for(lease_for interval) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.child_row(job_table regclass, job_id uuid, OUT found_status text, OUT found_run_at timestamp with time zone, OUT written_here boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.child_row(job_table regclass, job_id uuid, OUT found_status text, OUT found_run_at timestamp with time zone, OUT written_here boolean) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.claim(kind text, worker text, at_most integer, lease_for interval) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.claim(kind text, worker text, at_most integer, lease_for interval) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.claim_each(kind_id smallint, behind_priority smallint, behind_seq bigint, at_most integer, lease bigint, worker text, lease_ms bigint, OUT seen integer, OUT last_priority smallint, OUT last_seq bigint, OUT cut boolean, OUT failed integer, OUT error text) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.claim_each(kind_id smallint, behind_priority smallint, behind_seq bigint, at_most integer, lease bigint, worker text, lease_ms bigint, OUT seen integer, OUT last_priority smallint, OUT last_seq bigint, OUT cut boolean, OUT failed integer, OUT error text) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.claim_free(kind_id smallint, behind_priority smallint, behind_seq bigint, at_most integer, lease bigint, worker text, lease_for interval, OUT seen integer, OUT last_priority smallint, OUT last_seq bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.claim_free(kind_id smallint, behind_priority smallint, behind_seq bigint, at_most integer, lease bigint, worker text, lease_for interval, OUT seen integer, OUT last_priority smallint, OUT last_seq bigint) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.claim_one(job_table regclass, id uuid, entry_priority smallint, lease bigint, worker text, OUT verdict text, OUT run_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.claim_one(job_table regclass, id uuid, entry_priority smallint, lease bigint, worker text, OUT verdict text, OUT run_at timestamp with time zone) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.clear_lease_of_row(job_table regclass, job_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.clear_lease_of_row(job_table regclass, job_id uuid) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.column_problems(job_table regclass) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.concerns_one_row(state text) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.concerns_one_row(state text) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.count_jobs(kind_id smallint, worker text, claimed integer, succeeded integer, failed integer, retried integer, rescued integer, released integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.count_jobs(kind_id smallint, worker text, claimed integer, succeeded integer, failed integer, retried integer, rescued integer, released integer) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.detach(kind text) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.drop_stale_entries(mine rowrunner.kinds, priority smallint, seq bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.drop_stale_entries(mine rowrunner.kinds, priority smallint, seq bigint) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.end_cancelled_row(job_table regclass, job_id uuid, new_status text, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.end_cancelled_row(job_table regclass, job_id uuid, new_status text, reason text) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.enqueue_again(kind text, job_id uuid, run_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.enqueue_again(kind text, job_id uuid, run_at timestamp with time zone) TO rowrunner_worker;
GRANT ALL ON FUNCTION rowrunner.enqueue_again(kind text, job_id uuid, run_at timestamp with time zone) TO rowrunner_app;
REVOKE ALL ON FUNCTION rowrunner.equip(mine rowrunner.kinds) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.fail(kind text, job_id uuid, lease bigint, error text, retry_after interval, final boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.fail(kind text, job_id uuid, lease bigint, error text, retry_after interval, final boolean) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.fire_child(waiting rowrunner.waits) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.fire_child(waiting rowrunner.waits) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.fire_deferred() FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.fire_deferred() TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.fire_joins(at_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.fire_joins(at_most integer) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.fire_joins_of(kind_id smallint, at_most integer, OUT fired integer, OUT trouble text) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.fire_joins_of(kind_id smallint, at_most integer, OUT fired integer, OUT trouble text) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.fire_noted(child_kinds smallint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.fire_noted(child_kinds smallint[]) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.forget_jobs(of_kind smallint) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.forget_jobs(of_kind smallint) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.forget_joins(of_kind smallint) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.forget_joins(of_kind smallint) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.forget_wait(of_kind smallint, job_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.forget_wait(of_kind smallint, job_id uuid) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.free_row(job_table regclass, job_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.free_row(job_table regclass, job_id uuid) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.grant_access(mine rowrunner.kinds) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.grant_sequences(mine rowrunner.kinds) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.grants_on(job_table regclass) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.heartbeat(lease bigint, lease_for interval) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.heartbeat(lease bigint, lease_for interval) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.hold_row(job_table regclass, job_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.hold_row(job_table regclass, job_id uuid) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.job_columns() FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.job_columns() TO rowrunner_worker;
GRANT ALL ON FUNCTION rowrunner.job_columns() TO rowrunner_app;
REVOKE ALL ON FUNCTION rowrunner.job_table_columns(kind text) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.job_table_columns(kind text) TO rowrunner_worker;
GRANT ALL ON FUNCTION rowrunner.job_table_columns(kind text) TO rowrunner_app;
REVOKE ALL ON FUNCTION rowrunner.job_table_permissions() FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.job_table_permissions() TO rowrunner_worker;
GRANT ALL ON FUNCTION rowrunner.job_table_permissions() TO rowrunner_app;
REVOKE ALL ON FUNCTION rowrunner.jobs_after(of_kind smallint, job_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.jobs_after(of_kind smallint, job_id uuid) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.jobs_among(job_table regclass, ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.jobs_among(job_table regclass, ids uuid[]) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.jobs_without_entry(kind_id smallint, percent real) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.joins_noted(child_kinds smallint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.joins_noted(child_kinds smallint[]) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.kind_named(kind text) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.kind_named(kind text) TO rowrunner_engine;
GRANT ALL ON FUNCTION rowrunner.kind_named(kind text) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.kinds_after(of_kind smallint, job_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.kinds_after(of_kind smallint, job_id uuid) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.kinds_to_fire() FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.kinds_to_fire() TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.lock_candidates(kind_id smallint, last rowrunner.waits, at_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.lock_candidates(kind_id smallint, last rowrunner.waits, at_most integer) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.lock_overdue(kind_id smallint, last rowrunner.waits, at_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.lock_overdue(kind_id smallint, last rowrunner.waits, at_most integer) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.lock_parents(parent rowrunner.kinds, ids uuid[], policy text, OUT open uuid[], OUT bad uuid[], OUT named integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.lock_parents(parent rowrunner.kinds, ids uuid[], policy text, OUT open uuid[], OUT bad uuid[], OUT named integer) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.lock_wait(child rowrunner.kinds, job_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.lock_wait(child rowrunner.kinds, job_id uuid) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.may_lack_entries(job_table regclass, added text[], enqueue_existing boolean, retention interval) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.missing_columns(job_table regclass) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.move_due(kind_ids smallint[], at_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.move_due(kind_ids smallint[], at_most integer) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.new_id() FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.new_id() TO rowrunner_worker;
GRANT ALL ON FUNCTION rowrunner.new_id() TO rowrunner_app;
REVOKE ALL ON FUNCTION rowrunner.new_kind(job_table regclass, kind text) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.new_lease() FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.new_lease() TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.none_kept(job_table regclass, ids uuid[], leases bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.none_kept(job_table regclass, ids uuid[], leases bigint[]) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.note_ends(of_kind smallint, ids uuid[], bad boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.note_ends(of_kind smallint, ids uuid[], bad boolean) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.note_free_ends(of_kind smallint, ids uuid[], bad boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.note_free_ends(of_kind smallint, ids uuid[], bad boolean) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.note_missed_ends() FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.note_missed_ends() TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.note_near(of_kind smallint, ids uuid[], near uuid[], bad boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.note_near(of_kind smallint, ids uuid[], near uuid[], bad boolean) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.note_old_snapshot(of_kind smallint, ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.note_old_snapshot(of_kind smallint, ids uuid[]) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.on_delete() FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.on_insert() FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.on_parent_delete() FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.on_parent_update() FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.on_truncate() FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.on_update() FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.on_wakeup() FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.only_computes(expression pg_node_tree, catalog regclass, entry oid, job_table regclass) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.pages_to_sweep() FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.pages_to_sweep() TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.pass_over(kind_id smallint, job_id uuid, error text) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.pass_over(kind_id smallint, job_id uuid, error text) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.progress(kind text, job_id uuid, lease bigint, done bigint, total bigint, message text) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.progress(kind text, job_id uuid, lease bigint, done bigint, total bigint, message text) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.put_off_entry(mine rowrunner.kinds, priority smallint, seq bigint, state text, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.put_off_entry(mine rowrunner.kinds, priority smallint, seq bigint, state text, reason text) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.put_off_join(waiting rowrunner.waits, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.put_off_join(waiting rowrunner.waits, reason text) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.reach(mark regclass, last bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.reach(mark regclass, last bigint) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.reached_mark(priority smallint, seq bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.reached_mark(priority smallint, seq bigint) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.reached_seq(mark regclass, priority smallint) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.reached_seq(mark regclass, priority smallint) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.refuse_claim(job_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.refuse_claim(job_id uuid) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.refuse_cycle(child rowrunner.kinds, job_id uuid, parent rowrunner.kinds, ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.refuse_cycle(child rowrunner.kinds, job_id uuid, parent rowrunner.kinds, ids uuid[]) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.refuse_end(job_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.refuse_end(job_id uuid) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.refuse_names(job_table regclass, owner name, co_owner name, public_id name) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.refuse_stranger(job_table regclass) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.refuse_table(kind_id smallint, named regclass) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.refuse_table(kind_id smallint, named regclass) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.refuse_types() FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.refuse_types() TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.refuse_unfit(job_table regclass, add_columns boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.refuse_unless(fits boolean, complaint text, hint text) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.refuse_unless(fits boolean, complaint text, hint text) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.refuses_status(job_table regclass, wanted text) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.register(job_table regclass, kind text) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.release(kind text, job_id uuid, lease bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.release(kind text, job_id uuid, lease bigint) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.remove_duplicates(of_kind smallint) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.remove_ended_edges(kind_id smallint, addresses tid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.remove_ended_edges(kind_id smallint, addresses tid[]) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.remove_missed_edges(of_kind smallint) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.remove_missed_edges(of_kind smallint) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.repair(kind text, OUT queued bigint, OUT delayed bigint, OUT failed bigint, OUT lost bigint, OUT removed bigint, OUT problems text[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.replication_role_problems() FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.requeue(kind text, job_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.requeue(kind text, job_id uuid) TO rowrunner_worker;
GRANT ALL ON FUNCTION rowrunner.requeue(kind text, job_id uuid) TO rowrunner_app;
REVOKE ALL ON FUNCTION rowrunner.requeue_failed(kind text, at_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.requeue_failed(kind text, at_most integer) TO rowrunner_worker;
GRANT ALL ON FUNCTION rowrunner.requeue_failed(kind text, at_most integer) TO rowrunner_app;
REVOKE ALL ON FUNCTION rowrunner.requeue_failed(kind text, at_most integer, INOUT as_of timestamp with time zone, OUT requeued bigint, OUT more boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.requeue_failed(kind text, at_most integer, INOUT as_of timestamp with time zone, OUT requeued bigint, OUT more boolean) TO rowrunner_worker;
GRANT ALL ON FUNCTION rowrunner.requeue_failed(kind text, at_most integer, INOUT as_of timestamp with time zone, OUT requeued bigint, OUT more boolean) TO rowrunner_app;
REVOKE ALL ON FUNCTION rowrunner.requeue_row(job_table regclass, job_id uuid, was text[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.requeue_row(job_table regclass, job_id uuid, was text[], at timestamp with time zone) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.rescue(kind_id smallint, at_most integer, say_locked boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.rescue(kind_id smallint, at_most integer, say_locked boolean) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.rescue_jobs(mine rowrunner.kinds, ids uuid[], leases bigint[], workers text[], until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.rescue_jobs(mine rowrunner.kinds, ids uuid[], leases bigint[], workers text[], until timestamp with time zone) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.run_after(child_kind text, child_id uuid, parent_kind text, parent_ids uuid[], when_failed text, at_latest interval) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.run_after(child_kind text, child_id uuid, parent_kind text, parent_ids uuid[], when_failed text, at_latest interval) TO rowrunner_worker;
GRANT ALL ON FUNCTION rowrunner.run_after(child_kind text, child_id uuid, parent_kind text, parent_ids uuid[], when_failed text, at_latest interval) TO rowrunner_app;
REVOKE ALL ON FUNCTION rowrunner.run_now(kind text, job_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.run_now(kind text, job_id uuid) TO rowrunner_worker;
GRANT ALL ON FUNCTION rowrunner.run_now(kind text, job_id uuid) TO rowrunner_app;
REVOKE ALL ON FUNCTION rowrunner.set_aside_untaken(kind smallint, job_table regclass, ids uuid[], priorities smallint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.set_aside_untaken(kind smallint, job_table regclass, ids uuid[], priorities smallint[]) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.share_rows(job_table regclass, ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.share_rows(job_table regclass, ids uuid[]) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.snapshot_may_be_old() FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.snapshot_may_be_old() TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.step(kind text, job_id uuid, lease bigint, step text, result jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.step(kind text, job_id uuid, lease bigint, step text, result jsonb) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.steps(kind text, job_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.steps(kind text, job_id uuid) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.stored_a_step(kind smallint, job_id uuid, since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.stored_a_step(kind smallint, job_id uuid, since timestamp with time zone) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.strike_from_lease(lease bigint, job_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.strike_from_lease(lease bigint, job_id uuid) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.succeed(kind text, job_id uuid, lease bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.succeed(kind text, job_id uuid, lease bigint) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.sweep(from_page bigint, pages bigint, OUT removed bigint, OUT next_page bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.sweep(from_page bigint, pages bigint, OUT removed bigint, OUT next_page bigint) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.sweep_joins(kind_id smallint, from_page bigint, pages bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.sweep_joins(kind_id smallint, from_page bigint, pages bigint) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.sweep_kind(kind_id smallint, from_page bigint, pages bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.sweep_kind(kind_id smallint, from_page bigint, pages bigint) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner.table_problems(job_table regclass) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.trigger_problems(mine rowrunner.kinds) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.try_to_fire(waiting rowrunner.waits, OUT verdict text, OUT reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.try_to_fire(waiting rowrunner.waits, OUT verdict text, OUT reason text) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.unended_jobs(job_table regclass, percent real) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.unended_jobs(job_table regclass, percent real) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.unhold_held(mine rowrunner.kinds) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.unhold_row(job_table regclass, job_id uuid, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.unhold_row(job_table regclass, job_id uuid, at timestamp with time zone) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.value_problems(job_table regclass) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.waits_for_success(of_kind smallint, job_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.waits_for_success(of_kind smallint, job_id uuid) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.wake(flag regclass, kind_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.wake(flag regclass, kind_name text) TO rowrunner_engine;
REVOKE ALL ON FUNCTION rowrunner.warn_of_retention(before rowrunner.kinds, after rowrunner.kinds) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.warn_of_triggers(job_table regclass) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner.worker_seen(worker text, kind text) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.worker_seen(worker text, kind text) TO rowrunner_worker;
GRANT SELECT,DELETE ON TABLE rowrunner.attempts TO rowrunner_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rowrunner.attempts TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner.attempts TO rowrunner_app;
GRANT SELECT,INSERT ON TABLE rowrunner.cancellations TO rowrunner_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rowrunner.cancellations TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner.cancellations TO rowrunner_app;
GRANT SELECT,DELETE ON TABLE rowrunner.claim_errors TO rowrunner_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rowrunner.claim_errors TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner.claim_errors TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rowrunner.counters TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner.counters TO rowrunner_app;
GRANT SELECT,INSERT,DELETE ON TABLE rowrunner.delayed TO rowrunner_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rowrunner.delayed TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner.delayed TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rowrunner.edges TO rowrunner_engine;
GRANT SELECT ON TABLE rowrunner.edges TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner.edges TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rowrunner.failures TO rowrunner_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rowrunner.failures TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner.failures TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rowrunner.join_candidates TO rowrunner_engine;
GRANT SELECT ON TABLE rowrunner.join_candidates TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner.join_candidates TO rowrunner_app;
GRANT SELECT,INSERT ON TABLE rowrunner.leases TO rowrunner_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rowrunner.leases TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner.leases TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rowrunner.workers TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner.workers TO rowrunner_app;
GRANT SELECT ON TABLE rowrunner.live_workers TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner.live_workers TO rowrunner_app;
GRANT SELECT,DELETE ON TABLE rowrunner.progress TO rowrunner_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rowrunner.progress TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner.progress TO rowrunner_app;
GRANT SELECT,INSERT,DELETE ON TABLE rowrunner.queue TO rowrunner_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rowrunner.queue TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner.queue TO rowrunner_app;
GRANT USAGE ON SEQUENCE rowrunner.queue_back TO rowrunner_engine;
GRANT USAGE ON SEQUENCE rowrunner.queue_back TO rowrunner_worker;
GRANT USAGE ON SEQUENCE rowrunner.queue_front TO rowrunner_engine;
GRANT SELECT ON TABLE rowrunner.schema_info TO rowrunner_engine;
GRANT SELECT ON TABLE rowrunner.schema_info TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner.schema_info TO rowrunner_app;
GRANT UPDATE(only_row) ON TABLE rowrunner.schema_info TO rowrunner_engine;
GRANT SELECT,DELETE ON TABLE rowrunner.steps TO rowrunner_engine;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rowrunner.steps TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner.steps TO rowrunner_app;
GRANT SELECT,INSERT,DELETE ON TABLE rowrunner.wakeups TO rowrunner_engine;
