-- The triggers that keep the queue in step with every write to a job table.
--
-- All of them are AFTER triggers: a BEFORE UPDATE trigger, even one whose WHEN is false, locks each row
-- a second time, and every job is updated twice. They belong to rowrunner_engine and run with
-- its permissions, so that an application that may INSERT a job needs none on the engine's tables. That
-- role owns what every INSERT calls, so nothing that the owner of a job table wrote may run with its
-- permissions: a trigger here never reads or writes a job table itself.

-- A time-ordered uuid (version 7) for plain INSERTs: neighbours in time are neighbours in the index.
-- The body is parsed when the function is made, and the time is in floating point, which is cheaper than
-- numeric and as exact as milliseconds need it.
CREATE FUNCTION rowrunner.new_id() RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN encode(set_bit(set_bit(
    overlay(uuid_send(gen_random_uuid())
      PLACING substring(int8send((date_part('epoch', clock_timestamp()) * 1000)::bigint) FROM 3)
      FROM 1 FOR 6),
    52, 1), 53, 1), 'hex')::uuid;

-- The number of a new lease: 59 random bits and never negative.
CREATE FUNCTION rowrunner.new_lease() RETURNS bigint
LANGUAGE sql VOLATILE
RETURN ('x' || left(replace(gen_random_uuid()::text, '-', ''), 16))::bit(64)::bigint
       & 9223372036854775807;

-- How far claims have come, for all workers of a kind: each would otherwise scan past what the others
-- have taken. It is a hint, seen at once and outside of transactions, and so a sequence; what falls
-- behind it (late commits, released jobs) is found by starting from the front. The mark holds the
-- priority in its upper bits and the number of an entry at the back of the queue in its lower 47.
CREATE FUNCTION rowrunner.reached_mark(priority smallint, seq bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN seq > 0 THEN ((priority::bigint + 32768) << 47) | seq END;

CREATE FUNCTION rowrunner.reached_seq(mark regclass, priority smallint) RETURNS bigint
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN (SELECT m.last & ((1::bigint << 47) - 1)
        FROM (SELECT pg_sequence_last_value(mark) AS last) m
        WHERE m.last >> 47 = priority + 32768);

CREATE FUNCTION rowrunner.reach(mark regclass, last bigint) RETURNS bigint
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN CASE WHEN last > coalesce(pg_sequence_last_value(mark), 0)
              OR last >> 47 < pg_sequence_last_value(mark) >> 47
            THEN setval(mark, last) END;

-- Tells sleeping workers that there is a job, if any worker sleeps.
--
-- A NOTIFY takes a lock that serialises commits, so it must be rare. A worker that is about to sleep
-- arms the flag of its kind; the first enqueue that finds it armed disarms it and notifies, all
-- others pay one read. The flag is a sequence (the time in ms until which it is armed), because
-- setval is seen at once by all sessions and leaves no dead row behind. A wake-up that gets lost
-- (the notifying transaction rolls back) costs at most one polling interval.
--
-- PREPARE TRANSACTION refuses a transaction that has notified. Where it can be used at all, the
-- notification is left to the end of the transaction, when it is known whether it will be prepared.
CREATE FUNCTION rowrunner.wake(flag regclass, kind_name text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- At the end of a transaction that wakes workers. A prepared one wakes none: a poll finds its
-- jobs, and the flag is armed again for the next enqueue.
CREATE FUNCTION rowrunner.on_wakeup() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
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

CREATE CONSTRAINT TRIGGER rowrunner_wakeup AFTER INSERT ON rowrunner.wakeups
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION rowrunner.on_wakeup();

-- The triggers below run as rowrunner_engine. If the owner of a job table gives a column a type of their own,
-- its casts would run as that role too, whatever the search_path is: so no such value is touched.
CREATE FUNCTION rowrunner.refuse_types() RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'a column of the job table has another type than it had when the table was attached'
    USING ERRCODE = 'datatype_mismatch',
          HINT = 'SELECT * FROM rowrunner.job_columns() lists the types; or detach the kind.';
END
$$;

-- AFTER INSERT, once per statement. Arguments: kind id, kind name, wake-up flag.
--
-- An enqueue of one row pays for every statement that its triggers run. If all rows are queued and due, as
-- usual, there is one: the statement that adds the entries also finds out whether there are other rows, and
-- says so in the setting rowrunner.others_inserted, which is reset when they have been handled. A SET
-- search_path clause would cost as much as adding a queue entry: instead everything is named with its
-- schema, operators included, so that no object of the caller's is used in its place. Columns are taken
-- from the rows by their bare names: `i.priority` of a row without that column would be the function
-- priority(i), which the caller's search_path finds. A column of the job table may have the name of a variable.
CREATE FUNCTION rowrunner.on_insert() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER AS $$
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

-- AFTER UPDATE, per row, but not for the two transitions of a job that goes well (see the WHEN in
-- attach). Arguments as above.
CREATE FUNCTION rowrunner.on_update() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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

-- AFTER DELETE, once per statement: deletes what the engine keeps for the deleted jobs. Their entries in the
-- queue stay: no index finds them by their jobs, and a claim or a sweep removes them. The lateral subqueries, with
-- OFFSET 0, make the index of each table the only way, whatever the statistics say.
CREATE FUNCTION rowrunner.on_delete() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
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

-- Removes everything that is kept of the jobs of a kind, but its leases: those end by themselves.
CREATE FUNCTION rowrunner.forget_jobs(of_kind smallint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- AFTER TRUNCATE: the kind has no jobs any more.
CREATE FUNCTION rowrunner.on_truncate() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM rowrunner.forget_jobs(TG_ARGV[0]::smallint);
  RETURN NULL;
END
$$;
