-- What applications, operators and workers call.

-- The kind of that name, or an error that lists the ones there are.
CREATE FUNCTION rowrunner.kind_named(kind text) RETURNS rowrunner.kinds
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
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

-- The columns of the table of a kind that an INSERT may name, one row each. Types come with their schema,
-- as the caller's search_path may have another one of that name, without their length limits (a cast to
-- varchar(5) would cut a longer text, an INSERT refuses it), and of a domain the type below it. unique_key is
-- what two jobs cannot share beside their id, if it is one plain index; else NULL.
CREATE FUNCTION rowrunner.job_table_columns(kind text)
RETURNS TABLE (job_table text, name text, type text, is_array boolean, unique_key text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
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

-- Queues a failed or cancelled job again with new attempts. Says whether there was such a job. It notes which job
-- stays failed, as a trigger of its table refuses it.
CREATE FUNCTION rowrunner.requeue(kind text, job_id uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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

-- Queues up to `at_most` failed jobs of a kind again, of those that had failed at `as_of` (NULL: now) and were not
-- refused since: the oldest failure first, and those that were refused before last, so that they hide no others. Jobs
-- that stay failed do not count, and after 1,000 of them it ends: `more` says that there may be others, for which it
-- is called again with the `as_of` that it answers. Where a cancelled job is called failed, its error tells; it should
-- not run again.
CREATE FUNCTION rowrunner.requeue_failed(kind text, at_most integer, INOUT as_of timestamptz,
                                         OUT requeued bigint, OUT more boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_sort = off AS $$
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

-- The same in one call; says how many. A notice tells that there may be more.
CREATE FUNCTION rowrunner.requeue_failed(kind text, at_most integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- Queues a job that has ended, however it did, to be run once more: for keys that can have one job at a
-- time. Says whether there was such a job; false means that it waits or runs already, or that there is
-- none. Other than requeue it also takes a job that succeeded, and forgets its steps (on_update does).
CREATE FUNCTION rowrunner.enqueue_again(kind text, job_id uuid, run_at timestamptz DEFAULT NULL)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN rowrunner.requeue_row((rowrunner.kind_named(enqueue_again.kind)).job_table, enqueue_again.job_id,
                               '{succeeded,failed,cancelled}', enqueue_again.run_at);
END
$$;

-- Lets a job that is delayed or held by its run_at run now. Answers the status of the job, 'held' if it waits for
-- others, NULL if there is none.
CREATE FUNCTION rowrunner.run_now(kind text, job_id uuid) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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

-- Cancels a job. A waiting one ends at once ('cancelled'); of a running one it is asked ('requested'),
-- and its worker hears of it within two seconds. Otherwise answers the status that the job has, or
-- NULL if there is none. With `cascade` the jobs that wait for it are cancelled too: first those that nothing waits
-- for, as a run_after that holds the waits row of one of them may wait for its parents.
CREATE FUNCTION rowrunner.cancel(kind text, job_id uuid, reason text DEFAULT NULL, cascade boolean DEFAULT false)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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

-- Whether a statement over many jobs may have failed because of one of them: not if the connection, the
-- transaction, the permissions, the schema or the server are the trouble. pg::classify says of the same codes
-- what a client can do about them; a test compares the two. Class 08, a lost connection, is another server's here.
CREATE FUNCTION rowrunner.concerns_one_row(state text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN state <> '40001' AND left(state, 2) NOT IN ('0A', '25', '26', '42', '53', '57', '58');

-- Whether a job has stored a step since it was claimed. It is volatile, so that it also sees a step that was
-- committed after the caller's statement began; call it with the job's row locked, and none can follow.
CREATE FUNCTION rowrunner.stored_a_step(kind smallint, job_id uuid, since timestamptz) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN EXISTS (SELECT FROM rowrunner.steps s
                 WHERE s.kind = stored_a_step.kind AND s.job_id = stored_a_step.job_id
                   AND s.created_at >= stored_a_step.since);
END
$$;

-- Takes back those of the named jobs that are still processing under their leases: each is charged one
-- attempt and queued again, or ended; one that has stored a step since its claim gets further each time, and
-- is queued uncharged. A row that another session has locked is passed over. If the
-- statement fails, both halves are tried, so that the jobs whose rows cannot be written are found: they
-- are answered with the error. At `until` it ends; what it did not come to is left as it is.
CREATE FUNCTION rowrunner.rescue_jobs(mine rowrunner.kinds, ids uuid[], leases bigint[], workers text[],
                                      until timestamptz)
RETURNS TABLE (job_id uuid, lease bigint, status text, attempts integer, error text, cancelled boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
$$;

-- Takes the jobs of lost workers back: leases of the kind that have expired are removed, and what is
-- still processing under them is queued again, or ends, as rescue_jobs says. Answers these jobs (`cancelled`: as a
-- cancel was requested, which some tables call failed), and with an error those whose rows could not be written.
-- A lease of which a job could not be taken back is put off: for a second if the row is locked, and for
-- longer each time, up to ten minutes, if writing it fails. So a rescue always comes to the others. If asked
-- to `say_locked`, it answers one more row, with the status 'locked' and no job, if leases were put off for a
-- second: rows of them are locked, or the time was up before it came to them.
CREATE FUNCTION rowrunner.rescue(kind_id smallint, at_most integer DEFAULT 100,
                                 say_locked boolean DEFAULT false)
RETURNS TABLE (job_id uuid, status text, attempts integer, error text, cancelled boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET lock_timeout = '100ms'
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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
$$;

-- Moves jobs of these kinds whose time has come into the queue; says how many.
CREATE FUNCTION rowrunner.move_due(kind_ids smallint[], at_most integer DEFAULT 1000) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off SET enable_seqscan = off AS $$
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

-- Notes that a claim failed because of a job's row, and answers when to try again: after 5 seconds, and
-- each time twice as long, up to ten minutes.
CREATE FUNCTION rowrunner.pass_over(kind_id smallint, job_id uuid, error text) RETURNS timestamptz
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO rowrunner.claim_errors AS e (kind, job_id, error, retry_at)
  VALUES ($1, $2, left($3, 1000), clock_timestamp() + interval '5 s')
  ON CONFLICT (kind, job_id) DO UPDATE
    SET error = excluded.error, failed_at = excluded.failed_at, tries = least(e.tries, 1000) + 1,
        retry_at = clock_timestamp() + least(interval '10 min', interval '5 s' * 2 ^ least(e.tries, 7))
  RETURNING retry_at
$$;

-- Called by a claim whose statement names another table than the one that is attached, as after a rename.
CREATE FUNCTION rowrunner.refuse_table(kind_id smallint, named regclass) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mine rowrunner.kinds;
BEGIN
  SELECT * INTO mine FROM rowrunner.kinds k WHERE k.id = kind_id;
  RAISE EXCEPTION 'kind % is attached to % (oid %), but % is another table (oid %): start the worker'
    ' again, or attach the new table under a kind of its own',
    mine.kind, mine.job_table, mine.job_table::oid, named, named::oid USING ERRCODE = 'RR001';
END
$$;

-- Called by a claim if the row, after the triggers of its table, is not processing under the lease of the
-- claim: such a job would run without a lease, or again and again. The error undoes what they did.
CREATE FUNCTION rowrunner.refuse_claim(job_id uuid) RETURNS uuid
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'the UPDATE that takes job % left it without status processing and the lease of the claim:'
    ' does a trigger change them?', job_id USING ERRCODE = 'RR002';
END
$$;

-- Called by what ends a job or takes it back if the row is processing all the same. Its lease would be gone,
-- and nothing would find the job again; the error keeps the lease, which expires.
CREATE FUNCTION rowrunner.refuse_end(job_id uuid) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'the UPDATE that ends job % left it processing: does a trigger suppress or change it?', job_id
    USING ERRCODE = 'RR003';
END
$$;

-- True if none of these jobs, which were to end, is still processing under its lease; otherwise a trigger has
-- suppressed the UPDATE, which is an error. The lock reads a row as it is now: a job that was lost while the
-- UPDATE waited does not count. Called only if some job did not end, so that others do not pay for it.
CREATE FUNCTION rowrunner.none_kept(job_table regclass, ids uuid[], leases bigint[]) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
$$;

-- Of entries that a claim has deleted: queued jobs that it has not taken. A job that is not due although it had
-- an entry (the clock was set back) is delayed, and so is one whose UPDATE a trigger suppressed. The lock reads
-- a row as it is now: a job that was cancelled while the UPDATE waited for it is not one.
CREATE FUNCTION rowrunner.set_aside_untaken(kind smallint, job_table regclass, ids uuid[], priorities smallint[])
RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
$$;

-- Claims jobs as db/queries/engine/claim.sql does, but around those whose rows other sessions have locked, which keep
-- their entries: of up to `at_most` entries behind that one. It locks every job once more, so it is not the rule for
-- workers of many jobs a second. Answers how many entries it saw and the last of them; the lease names the jobs, in
-- their order. What claim.sql says of the clock, of CASE and of refuse_claim holds here, too.
CREATE FUNCTION rowrunner.claim_free(kind_id smallint, behind_priority smallint, behind_seq bigint, at_most integer,
                                     lease bigint, worker text, lease_for interval,
                                     OUT seen integer, OUT last_priority smallint, OUT last_seq bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
$$;

-- One job of claim_each: 'taken', 'locked' by another session, 'early' (not due before run_at), 'stale' (the
-- entry does not match the row), or 'failed' if the UPDATE changed no row.
CREATE FUNCTION rowrunner.claim_one(job_table regclass, id uuid, entry_priority smallint, lease bigint,
                                    worker text, OUT verdict text, OUT run_at timestamptz)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
$$;

-- Claims one job after the other, each in a subtransaction: for when a claim of many failed because of
-- one of them. A job whose row another session has locked keeps its entry. A job whose UPDATE fails, or is
-- suppressed by a trigger, is passed over: its entry waits among the delayed, the error is noted. An error
-- of syntax or access (class 42) that every job has is the table's and not a job's, and is raised.
CREATE FUNCTION rowrunner.claim_each(kind_id smallint, behind_priority smallint, behind_seq bigint,
                                     at_most integer, lease bigint, worker text, lease_ms bigint,
                                     OUT seen integer, OUT last_priority smallint,
                                     OUT last_seq bigint, OUT cut boolean, OUT failed integer,
                                     OUT error text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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
