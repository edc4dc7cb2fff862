-- Joins (0008_joins.sql): how the children run whose parents have ended, and what is swept.

-- Fires a child whose waits row the caller has locked, if it is ready; what it sees was committed since that lock.
-- Answers 'fired' (or cancelled, or gone), 'waits' or 'locked' (its row, by another session).
CREATE FUNCTION rowrunner.fire_child(waiting rowrunner.waits) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
  IF waiting.when_failed = 'cancel' THEN
    SELECT format('cancelled: job %s of kind %s, which it waited for, did not succeed', c.parent_id,
                  coalesce(k.kind, c.parent_kind::text))
      INTO reason FROM rowrunner.join_candidates c LEFT JOIN rowrunner.kinds k ON k.id = c.parent_kind
      WHERE c.ctid = ANY (noted) AND c.failed LIMIT 1;
  END IF;
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
    PERFORM rowrunner.release_row(mine.job_table, waiting.child_id, waiting.run_at);
  END IF;
  RETURN 'fired';
END
$$;

-- The waits rows of children that may be ready, locked; not those that were passed over. A lock comes first, and the
-- edges are asked for in a later statement: one that waited for a transaction that adds an edge would not see it.
CREATE FUNCTION rowrunner.lock_candidates(passed text[], at_most integer) RETURNS SETOF rowrunner.waits
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  SELECT w.* FROM (SELECT DISTINCT c.child_kind, c.child_id FROM rowrunner.join_candidates c
                   WHERE c.child_kind || ' ' || c.child_id <> ALL (passed)) c
  CROSS JOIN LATERAL (SELECT * FROM rowrunner.waits w
                      WHERE w.child_kind = c.child_kind AND w.child_id = c.child_id FOR UPDATE SKIP LOCKED) w
  LIMIT at_most
$$;

CREATE FUNCTION rowrunner.lock_overdue(passed text[], at_most integer) RETURNS SETOF rowrunner.waits
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  SELECT w.* FROM rowrunner.waits w
  WHERE w.at_latest <= clock_timestamp() AND w.child_kind || ' ' || w.child_id <> ALL (passed)
  ORDER BY w.at_latest LIMIT at_most FOR UPDATE SKIP LOCKED
$$;

-- A child that cannot be fired, because its row cannot be written, is left to the sweep; the others go on.
CREATE FUNCTION rowrunner.put_off_join(waiting rowrunner.waits, reason text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE WARNING 'job % waited for others and cannot be run: %', waiting.child_id, reason;
  DELETE FROM rowrunner.join_candidates c
    WHERE c.child_kind = waiting.child_kind AND c.child_id = waiting.child_id;
  UPDATE rowrunner.waits w SET at_latest = clock_timestamp() + interval '1 minute'
    WHERE w.child_kind = waiting.child_kind AND w.child_id = waiting.child_id AND w.at_latest <= clock_timestamp();
END
$$;

-- Lets the children run whose parents have ended, or whose time has come, and cancels those that a failed parent
-- cancels; about `at_most` of them. It reads only what ends have noted. Under REPEATABLE READ it does nothing: it could
-- not see an edge that was added since. Answers how many it fired.
CREATE FUNCTION rowrunner.fire_joins(at_most integer DEFAULT 100) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off SET enable_seqscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  fired integer := 0;
  passed text[] := '{}';
  ready rowrunner.waits[];
  waiting rowrunner.waits;
  verdict text;
BEGIN
  IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
    RETURN 0;
  END IF;
  LOOP
    ready := ARRAY(SELECT w FROM rowrunner.lock_candidates(passed, at_most) w)
             || ARRAY(SELECT w FROM rowrunner.lock_overdue(passed, at_most) w);
    EXIT WHEN cardinality(ready) = 0;
    FOREACH waiting IN ARRAY ready LOOP
      CONTINUE WHEN waiting.child_kind || ' ' || waiting.child_id = ANY (passed);
      passed := passed || (waiting.child_kind || ' ' || waiting.child_id);
      BEGIN
        verdict := rowrunner.fire_child(waiting);
      EXCEPTION WHEN OTHERS THEN
        IF left(SQLSTATE, 2) IN ('53', '57', '58') THEN
          RAISE;
        END IF;
        verdict := 'failed';
        PERFORM rowrunner.put_off_join(waiting, SQLERRM);
      END;
      fired := fired + (verdict = 'fired')::integer;
    END LOOP;
    EXIT WHEN cardinality(passed) >= at_most;
  END LOOP;
  -- Of children that wait no longer.
  DELETE FROM rowrunner.join_candidates WHERE ctid = ANY (ARRAY(
    SELECT c.ctid FROM rowrunner.join_candidates c
    WHERE NOT EXISTS (SELECT FROM rowrunner.waits w WHERE w.child_kind = c.child_kind AND w.child_id = c.child_id)
    FOR UPDATE SKIP LOCKED));
  RETURN fired;
END
$$;

-- For workers in other languages, which have no poll: called by rowrunner.claim, and by an end of a kind with joins.
-- An end fires in its own transaction, so its child is there when it commits. Two last ends at the same time do not
-- see each other, and leave the child to the next claim or poll.
CREATE FUNCTION rowrunner.fire_noted() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF rowrunner.joins_noted() THEN
    PERFORM rowrunner.fire_joins();
  END IF;
END
$$;

-- What no trigger saw (they were disabled, or the end had an older snapshot): edges of parents of this kind that have
-- ended or are gone, on `pages` pages from `from_page` on; and children of this kind without an edge, likewise, which
-- become candidates again.
CREATE FUNCTION rowrunner.sweep_joins(kind_id smallint, from_page bigint, pages bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
SET lock_timeout = '1s' SET enable_seqscan = off SET enable_mergejoin = off AS $$
DECLARE
  first_row CONSTANT tid := format('(%s,0)', from_page);
  end_row CONSTANT tid := format('(%s,0)', least(from_page + pages, 4294967294));
  job_table CONSTANT regclass := (SELECT c.oid FROM rowrunner.kinds k JOIN pg_class c ON c.oid = k.job_table
                                  WHERE k.id = kind_id);
  removed bigint;
BEGIN
  -- One snapshot sees an edge and its parent: a parent that is run again may have a newer edge.
  WITH x AS MATERIALIZED (
    SELECT e.ctid AS address, e.* FROM rowrunner.edges e
    WHERE e.ctid >= first_row AND e.ctid < end_row AND e.parent_kind + 0 = kind_id
  ), j AS MATERIALIZED (
    SELECT a.id, a.status FROM rowrunner.jobs_among(job_table, ARRAY(SELECT x.parent_id FROM x)) a
    WHERE job_table IS NOT NULL
  ), ended AS MATERIALIZED (
    SELECT x.*, j.status IS DISTINCT FROM 'succeeded' AS failed FROM x LEFT JOIN j ON j.id = x.parent_id
    WHERE coalesce(j.status, 'gone') NOT IN ('queued', 'processing')
      AND (j.status IS NOT DISTINCT FROM 'succeeded' OR NOT EXISTS (
             SELECT FROM rowrunner.waits w
             WHERE w.child_kind = x.child_kind AND w.child_id = x.child_id AND w.when_failed = 'hold'))
  ), free AS MATERIALIZED (
    SELECT e.ctid AS address FROM rowrunner.edges e
    WHERE e.ctid = ANY (ARRAY(SELECT n.address FROM ended n)) FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM rowrunner.edges WHERE ctid = ANY (ARRAY(SELECT f.address FROM free f))
  )
  INSERT INTO rowrunner.join_candidates (child_kind, child_id, parent_kind, parent_id, failed)
    SELECT n.child_kind, n.child_id, n.parent_kind, n.parent_id, n.failed
    FROM ended n JOIN free f ON f.address = n.address;
  GET DIAGNOSTICS removed = ROW_COUNT;
  DELETE FROM rowrunner.edges WHERE ctid = ANY (ARRAY(
    SELECT e.ctid FROM rowrunner.edges e
    WHERE e.ctid >= first_row AND e.ctid < end_row AND e.child_kind + 0 = kind_id
      AND NOT EXISTS (SELECT FROM rowrunner.waits w WHERE w.child_kind = e.child_kind AND w.child_id = e.child_id)
    FOR UPDATE SKIP LOCKED));
  INSERT INTO rowrunner.join_candidates (child_kind, child_id)
    SELECT w.child_kind, w.child_id FROM rowrunner.waits w
    WHERE w.ctid >= first_row AND w.ctid < end_row AND w.child_kind + 0 = kind_id
      AND NOT EXISTS (SELECT FROM rowrunner.edges e WHERE e.child_kind = w.child_kind AND e.child_id = w.child_id)
      AND NOT EXISTS (SELECT FROM rowrunner.join_candidates c
                      WHERE c.child_kind = w.child_kind AND c.child_id = w.child_id);
  PERFORM rowrunner.fire_deferred();
  RETURN removed;
END
$$;

-- The jobs that wait for a job, directly or over others: those that nothing waits for come first.
CREATE FUNCTION rowrunner.jobs_after(of_kind smallint, job_id uuid) RETURNS TABLE (kind text, id uuid)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  WITH RECURSIVE below AS (
    SELECT e.child_kind, e.child_id, 1 AS depth FROM rowrunner.edges e WHERE e.parent_kind = $1 AND e.parent_id = $2
    UNION
    SELECT e.child_kind, e.child_id, b.depth + 1 FROM below b
    JOIN rowrunner.edges e ON e.parent_kind = b.child_kind AND e.parent_id = b.child_id
  )
  SELECT k.kind, b.child_id FROM below b JOIN rowrunner.kinds k ON k.id = b.child_kind
  GROUP BY k.kind, b.child_id ORDER BY max(b.depth) DESC, b.child_id
$$;
