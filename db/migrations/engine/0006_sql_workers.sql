-- Workers in other languages. The C++ worker runs the statements of db/queries, which do the same for
-- whole batches. Both keep the same rule: a write counts only under the lease of its claim, and the
-- caller learns whether it counted. docs/other-languages.md is the reference.

-- A worker was seen: `rowrunner stats` counts those of the last 30 seconds. Its row is written every five
-- seconds at most, and no session waits for it: two sessions of one name may hold it in long transactions.
CREATE FUNCTION rowrunner.worker_seen(worker text, kind text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- Adds to the counters of this minute. The row belongs to the session, so no other waits for it; if a
-- transaction that this session has prepared still holds it, the transaction gets one of its own.
CREATE FUNCTION rowrunner.count_jobs(kind_id smallint, worker text, claimed integer DEFAULT 0,
                                     succeeded integer DEFAULT 0, failed integer DEFAULT 0,
                                     retried integer DEFAULT 0, rescued integer DEFAULT 0,
                                     released integer DEFAULT 0)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- Removes the stale ones of the next thousand entries behind (priority, seq): after a bulk DELETE a claim
-- would otherwise read each. No job is locked for it: whatever queues a job gives it a new entry.
CREATE FUNCTION rowrunner.drop_stale_entries(mine rowrunner.kinds, priority smallint, seq bigint)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
$$;

-- The first free entry behind (priority, seq) could not be claimed: it waits outside of the queue, for a
-- second if a lock was in the way, and else as pass_over says, with a warning. Says whether there was one.
CREATE FUNCTION rowrunner.put_off_entry(mine rowrunner.kinds, priority smallint, seq bigint, state text,
                                        reason text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- Refuses a wrong call before any job is touched: the error is the caller's, and no job's.
CREATE FUNCTION rowrunner.refuse_unless(fits boolean, complaint text, hint text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF fits IS NOT TRUE THEN
    RAISE EXCEPTION '%', complaint USING ERRCODE = 'invalid_parameter_value', HINT = hint;
  END IF;
END
$$;

-- A lease that does not last is lost at once, and the jobs of one that lasts for days are missing when its worker is.
CREATE FUNCTION rowrunner.check_lease_for(lease_for interval) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM rowrunner.refuse_unless(
    lease_for > interval '0' AND lease_for <= interval '1 day',
    format('lease_for is %s, must be more than 0 and at most a day', coalesce(lease_for::text, 'NULL')),
    'A lease is kept by heartbeats: 10 to 60 seconds are usual.');
END
$$;

-- Takes up to `at_most` jobs that are due, each as its whole row with its lease in it, which is text, because
-- JavaScript reads numbers as doubles and would round it. It goes on until it
-- has a job or has seen every entry that no other session has locked. If a batch cannot be claimed, it goes
-- on entry by entry and puts off what cannot be claimed, twenty entries in one call at most.
CREATE FUNCTION rowrunner.claim(kind text, worker text, at_most integer DEFAULT 1,
                                lease_for interval DEFAULT '10 seconds')
RETURNS SETOF jsonb
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET lock_timeout = '100ms'
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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
$$;

-- Keeps a claim alive: for `lease_for` from now on, or for as long as the claim asked for. False means
-- that the lease is lost and its jobs must not be worked on.
CREATE FUNCTION rowrunner.heartbeat(lease bigint, lease_for interval DEFAULT NULL)
RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- The lease names a job no longer; the last one takes the lease with it. Called after the write
-- counted, by callers that locked the lease before the job, which is the order of all locks.
CREATE FUNCTION rowrunner.strike_from_lease(lease bigint, job_id uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE rowrunner.leases l SET job_ids = array_remove(l.job_ids, strike_from_lease.job_id)
    WHERE l.lease = strike_from_lease.lease;
  DELETE FROM rowrunner.leases l WHERE l.lease = strike_from_lease.lease AND l.job_ids = '{}';
END
$$;

-- Ends a job well; false means that the lease is lost.
CREATE FUNCTION rowrunner.succeed(kind text, job_id uuid, lease bigint) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
$$;

-- Whether a cancel of the job was requested; ask now and then in long work.
CREATE FUNCTION rowrunner.cancel_requested(job_id uuid, lease bigint) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT FROM rowrunner.cancellations c WHERE c.lease = $2 AND c.job_id = $1)
$$;

-- Charges an attempt. Answers the new status, or NULL if the lease is lost.
-- `final` ends it at once, and so does a request to cancel it.
CREATE FUNCTION rowrunner.fail(kind text, job_id uuid, lease bigint, error text,
                               retry_after interval DEFAULT '1 second', final boolean DEFAULT false)
RETURNS text LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
$$;

-- Releases a job, uncharged and at the front of the queue; false means that the lease is lost
-- by now.
CREATE FUNCTION rowrunner.release(kind text, job_id uuid, lease bigint) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
$$;

-- Stores the result of a step, so that a later attempt need not do it again; false means that the
-- lease is lost. The lock keeps a rescue from slipping in between the check and the insert. A step that is stored
-- once more keeps its time: a rescue charges an attempt that got no further.
CREATE FUNCTION rowrunner.step(kind text, job_id uuid, lease bigint, step text, result jsonb DEFAULT 'null')
RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
$$;

-- Stores the result of a step if it has none yet. True: stored now, and the caller adds the step's effects in this
-- transaction; false: it was stored before, with its effects; NULL: the lease is lost. The lock on the job's row keeps
-- a rescue from slipping in before the commit, and lets two calls for the same step come one after the other. It is not
-- FOR SHARE: two transactions whose effects update the row would deadlock.
CREATE FUNCTION rowrunner.add_step(kind text, job_id uuid, lease bigint, step text,
                                              result jsonb DEFAULT 'null')
RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
$$;

-- The results of the steps that earlier attempts have done, by their names.
CREATE FUNCTION rowrunner.steps(kind text, job_id uuid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(jsonb_object_agg(s.step, s.result), '{}') FROM rowrunner.steps s
  WHERE s.kind = (rowrunner.kind_named($1)).id AND s.job_id = $2
$$;

-- Reports how far a job has come; false means that the lease is lost.
CREATE FUNCTION rowrunner.progress(kind text, job_id uuid, lease bigint, done bigint, total bigint,
                                   message text DEFAULT '')
RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
$$;
