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

-- Puts a failed or cancelled job back in line with new attempts. Says whether there was such a job.
CREATE FUNCTION rowrunner.requeue(kind text, job_id uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM rowrunner.as_job_writer();
  DECLARE
    n integer;
  BEGIN
    EXECUTE format('UPDATE %s SET status = ''queued'', attempts = 0, run_at = now(), updated_at = now(),'
                   ' lease = NULL, locked_at = NULL, locked_by = NULL'
                   ' WHERE id = $1 AND status IN (''failed'', ''cancelled'')',
                   (rowrunner.kind_named(requeue.kind)).job_table) USING requeue.job_id;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n = 1;
  END;
END
$$;

-- Cancels a job. A waiting one ends at once ('cancelled'); of a running one it is asked ('requested'),
-- and its worker hears of it within two seconds. Otherwise answers the status that the job has, or
-- NULL if there is none.
CREATE FUNCTION rowrunner.cancel(kind text, job_id uuid, reason text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM rowrunner.as_job_writer();
  DECLARE
    mine rowrunner.kinds := rowrunner.kind_named(cancel.kind);
    why text := 'cancelled' || coalesce(': ' || nullif(cancel.reason, ''), '');
    found_status text;
    found_lease bigint;
  BEGIN
    EXECUTE format('SELECT status, lease FROM %s WHERE id = $1 FOR UPDATE', mine.job_table)
      INTO found_status, found_lease USING cancel.job_id;
    IF found_status = 'queued' THEN
      EXECUTE format('UPDATE %s SET status = $2, last_error = $3, updated_at = now() WHERE id = $1',
                     mine.job_table) USING cancel.job_id, mine.cancelled_status, why;
      RETURN 'cancelled';
    ELSIF found_status = 'processing' THEN
      INSERT INTO rowrunner.cancellations (lease, job_id, reason)
        VALUES (found_lease, cancel.job_id, why) ON CONFLICT DO NOTHING;
      RETURN 'requested';
    END IF;
    RETURN found_status;
  END;
END
$$;

-- Takes the jobs of lost workers back: leases of the kind that have expired are removed, and what is
-- still processing under them is charged one attempt and goes back in line, or ends. A job whose row
-- somebody else holds just now waits for the next rescue, and its lease with it.
CREATE FUNCTION rowrunner.rescue(kind_id smallint, at_most integer DEFAULT 100)
RETURNS TABLE (job_id uuid, status text, attempts integer)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  mine rowrunner.kinds;
BEGIN
  SELECT * INTO STRICT mine FROM rowrunner.kinds k WHERE k.id = rescue.kind_id;
  RETURN QUERY EXECUTE format($sql$
    WITH expired AS MATERIALIZED (
      SELECT e.lease, e.worker, e.job_ids FROM rowrunner.leases e
      WHERE e.kind = $1 AND e.expires_at < now()
      ORDER BY e.lease LIMIT $2 FOR UPDATE SKIP LOCKED
    ), held AS MATERIALIZED (
      SELECT t.id, t.lease, e.worker,
             (SELECT c.reason FROM rowrunner.cancellations c
              WHERE c.lease = e.lease AND c.job_id = t.id) AS reason
      FROM expired e CROSS JOIN unnest(e.job_ids) n (id)
      JOIN %1$s t ON t.id = n.id AND t.status = 'processing' AND t.lease = e.lease
      FOR UPDATE OF t SKIP LOCKED
    ), gone AS (
      DELETE FROM rowrunner.leases l USING expired e
      WHERE l.lease = e.lease AND NOT EXISTS (
        SELECT FROM unnest(e.job_ids) n (id)
        JOIN %1$s t ON t.id = n.id AND t.status = 'processing' AND t.lease = e.lease
        WHERE t.id NOT IN (SELECT h.id FROM held h))
    ), back AS (
      UPDATE %1$s t
      SET attempts = t.attempts + 1,
          status = CASE WHEN h.reason IS NOT NULL THEN $3
                        WHEN t.attempts + 1 >= t.max_attempts THEN 'failed' ELSE 'queued' END,
          last_error = coalesce(h.reason, 'worker ' || h.worker || ' was lost'),
          lease = NULL, locked_at = NULL, locked_by = NULL, updated_at = now()
      FROM held h
      WHERE t.id = h.id AND t.status = 'processing' AND t.lease = h.lease
      RETURNING t.id, t.status, t.attempts, t.last_error, h.worker
    ), noted AS (
      INSERT INTO rowrunner.attempts (kind, job_id, attempt, worker, error)
      SELECT $1, b.id, b.attempts, b.worker, b.last_error FROM back b
    )
    SELECT b.id, b.status, b.attempts FROM back b $sql$, mine.job_table)
  USING rescue.kind_id, rescue.at_most, mine.cancelled_status;
END
$$;

-- Moves jobs of these kinds whose time has come into the line; says how many.
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
    SELECT kind, priority, nextval('rowrunner.back_of_line'), job_id FROM due ORDER BY run_at;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END
$$;
