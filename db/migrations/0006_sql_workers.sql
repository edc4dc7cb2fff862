-- Workers in other languages. The C++ worker runs the statements of db/queries, which do the same
-- for whole batches; both keep the same rule: a write counts only under the lease of its claim, and
-- the caller learns whether it counted.

-- Takes up to `at_most` jobs that are due. Each comes as its whole row, with its lease in it.
-- It goes by the clock and not by now(): many drivers open a transaction long before this call, and
-- a job that was enqueued since would look as if its time had not come, and lose its place.
CREATE FUNCTION rowrunner.claim(kind text, worker text, at_most integer DEFAULT 1,
                                lease_for interval DEFAULT '10 seconds')
RETURNS SETOF jsonb LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  mine rowrunner.kinds := rowrunner.kind_named(claim.kind);
BEGIN
  IF mine.paused THEN
    RETURN;
  END IF;
  PERFORM rowrunner.move_due(ARRAY[mine.id]);
  PERFORM rowrunner.rescue(mine.id);
  -- A place whose job has moved on yields nothing; behind it may be others.
  FOR look IN 1..20 LOOP
    RETURN QUERY EXECUTE format($sql$
      WITH place AS MATERIALIZED (
        SELECT ctid, priority, job_id FROM rowrunner.queue WHERE kind = $1
        ORDER BY kind, priority, seq LIMIT $2 FOR UPDATE SKIP LOCKED
      ), gone AS (
        DELETE FROM rowrunner.queue WHERE ctid = ANY (ARRAY(SELECT ctid FROM place))
      ), taken AS (
        UPDATE %1$s j SET status = 'processing', lease = $3, locked_at = now(), locked_by = $4, updated_at = now()
        FROM place p
        WHERE j.id = p.job_id AND j.status = 'queued' AND j.priority = p.priority AND j.run_at <= clock_timestamp()
        RETURNING j.*
      ), early AS (
        INSERT INTO rowrunner.delayed (kind, run_at, priority, job_id)
        SELECT $1, j.run_at, j.priority, j.id FROM place p JOIN %1$s j ON j.id = p.job_id
        WHERE j.status = 'queued' AND j.priority = p.priority AND j.run_at > clock_timestamp()
      ), leased AS (
        INSERT INTO rowrunner.leases (lease, kind, worker, expires_at, job_ids)
        SELECT $3, $1, $4, clock_timestamp() + $5, array_agg(id) FROM taken HAVING count(*) > 0
      )
      SELECT to_jsonb(taken) FROM taken $sql$, mine.job_table)
    USING mine.id, claim.at_most, rowrunner.new_lease(), claim.worker, claim.lease_for;
    EXIT WHEN FOUND OR NOT EXISTS (SELECT FROM rowrunner.queue q WHERE q.kind = mine.id);
  END LOOP;
END
$$;

-- Keeps a claim alive; false means that the lease is lost and its jobs must not be worked on.
CREATE FUNCTION rowrunner.heartbeat(lease bigint, lease_for interval DEFAULT '10 seconds')
RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE rowrunner.leases l SET expires_at = clock_timestamp() + lease_for WHERE l.lease = heartbeat.lease;
  RETURN FOUND;
END
$$;

-- The lease names a job no longer; the last one takes the lease with it. Called after the write
-- counted, by callers that locked the lease before the job, as everybody does.
CREATE FUNCTION rowrunner.strike_from_lease(lease bigint, job_id uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE rowrunner.leases l SET job_ids = array_remove(l.job_ids, strike_from_lease.job_id)
    WHERE l.lease = strike_from_lease.lease;
  DELETE FROM rowrunner.leases l WHERE l.lease = strike_from_lease.lease AND l.job_ids = '{}';
END
$$;

-- Ends a job well; false means that it belongs to somebody else by now.
CREATE FUNCTION rowrunner.succeed(kind text, job_id uuid, lease bigint) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  n integer;
BEGIN
  PERFORM FROM rowrunner.leases l WHERE l.lease = succeed.lease FOR UPDATE;
  EXECUTE format('UPDATE %s SET status = ''succeeded'', updated_at = now()'
                 ' WHERE id = $1 AND status = ''processing'' AND lease = $2',
                 (rowrunner.kind_named(succeed.kind)).job_table) USING succeed.job_id, succeed.lease;
  GET DIAGNOSTICS n = ROW_COUNT;
  IF n = 1 THEN
    PERFORM rowrunner.strike_from_lease(succeed.lease, succeed.job_id);
  END IF;
  RETURN n = 1;
END
$$;

-- Whether somebody asked to cancel the job; ask now and then in long work.
CREATE FUNCTION rowrunner.cancel_requested(job_id uuid, lease bigint) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT FROM rowrunner.cancellations c WHERE c.lease = $2 AND c.job_id = $1)
$$;

-- Charges an attempt. Answers the new status, or NULL if the job belongs to somebody else by now.
-- `final` ends it at once, and so does a request to cancel it.
CREATE FUNCTION rowrunner.fail(kind text, job_id uuid, lease bigint, error text,
                               retry_after interval DEFAULT '1 second', final boolean DEFAULT false)
RETURNS text LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mine rowrunner.kinds := rowrunner.kind_named(fail.kind);
  answer text;
BEGIN
  PERFORM FROM rowrunner.leases l WHERE l.lease = fail.lease FOR UPDATE;
  EXECUTE format($sql$
    WITH ended AS (
      UPDATE %s j
      SET attempts = j.attempts + 1, last_error = coalesce(c.reason, $3), updated_at = now(),
          run_at = now() + $4, lease = NULL, locked_at = NULL, locked_by = NULL,
          status = CASE WHEN c.reason IS NOT NULL THEN $6
                        WHEN $5 OR j.attempts + 1 >= j.max_attempts THEN 'failed' ELSE 'queued' END
      FROM (SELECT id, locked_by, locked_at FROM %1$s WHERE id = $1) before
      LEFT JOIN rowrunner.cancellations c ON c.lease = $2 AND c.job_id = $1
      WHERE j.id = before.id AND j.status = 'processing' AND j.lease = $2
      RETURNING j.id, j.status, j.attempts, before.locked_by, before.locked_at
    ), noted AS (
      INSERT INTO rowrunner.attempts (kind, job_id, attempt, worker, started_at, error)
      SELECT $7, id, attempts, locked_by, locked_at, $3 FROM ended
    )
    SELECT status FROM ended $sql$, mine.job_table)
  INTO answer USING fail.job_id, fail.lease, fail.error, fail.retry_after, fail.final,
                    mine.cancelled_status, mine.id;
  IF answer IS NOT NULL THEN
    PERFORM rowrunner.strike_from_lease(fail.lease, fail.job_id);
  END IF;
  RETURN answer;
END
$$;

-- Gives a job back, uncharged and at the front of the line.
CREATE FUNCTION rowrunner.release(kind text, job_id uuid, lease bigint) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  n integer;
BEGIN
  PERFORM FROM rowrunner.leases l WHERE l.lease = release.lease FOR UPDATE;
  EXECUTE format('UPDATE %s SET status = ''queued'', lease = NULL, locked_at = NULL, locked_by = NULL,'
                 ' updated_at = now() WHERE id = $1 AND status = ''processing'' AND lease = $2',
                 (rowrunner.kind_named(release.kind)).job_table) USING release.job_id, release.lease;
  GET DIAGNOSTICS n = ROW_COUNT;
  IF n = 1 THEN
    PERFORM rowrunner.strike_from_lease(release.lease, release.job_id);
  END IF;
  RETURN n = 1;
END
$$;
