-- Joins (0008_joins.sql): how the children run whose parents have ended, and what is swept.

-- What fires is in plpgsql, which keeps its plans: functions in SQL would be planned at each call.

-- Why a child must be cancelled: one of its candidates names a parent that failed.
CREATE FUNCTION rowrunner.cancel_reason_of(waiting rowrunner.waits, noted tid[]) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
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

-- The next waits rows of children of this kind that may be ready, locked: in the order of their ids, behind the one
-- that was looked at last. A lock comes first, and the edges are asked for in a later statement: one that waited for a
-- transaction that adds an edge would not see it.
CREATE FUNCTION rowrunner.lock_candidates(kind_id smallint, last rowrunner.waits, at_most integer)
RETURNS SETOF rowrunner.waits
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- Likewise of those whose time has come.
CREATE FUNCTION rowrunner.lock_overdue(kind_id smallint, last rowrunner.waits, at_most integer)
RETURNS SETOF rowrunner.waits
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT w.* FROM rowrunner.waits w
  WHERE w.at_latest <= clock_timestamp() AND w.child_kind = kind_id
    AND (w.at_latest, w.child_id) >
        (coalesce(last.at_latest, '-infinity'), coalesce(last.child_id, '00000000-0000-0000-0000-000000000000'))
  ORDER BY w.at_latest, w.child_id LIMIT at_most FOR UPDATE SKIP LOCKED;
END
$$;

-- A child that cannot be fired, because its row cannot be written, is left to the sweep; the others go on. That it must
-- be cancelled is known only by its candidates, so it is kept.
CREATE FUNCTION rowrunner.put_off_join(waiting rowrunner.waits, reason text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- Fires a child, whatever the triggers of its table do. Answers as fire_child; 'put off' if its row cannot be written;
-- 'blocked', with the reason, if its table is locked, the server is in trouble or the time for the statement is over:
-- then its kind is left for the next time, and the child stays noted.
CREATE FUNCTION rowrunner.try_to_fire(waiting rowrunner.waits, OUT verdict text, OUT reason text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- Removes those of these edges whose parent, of this kind, has ended or is gone; their children become candidates. One
-- snapshot sees an edge and its parent: a parent that is run again may have a newer edge. For the same reason a
-- candidate does not name its parent, which is not locked here, unless it cancels the child.
CREATE FUNCTION rowrunner.remove_ended_edges(kind_id smallint, addresses tid[]) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- The edges of parents of this kind that ended with an old snapshot. Answers of how many parents.
CREATE FUNCTION rowrunner.remove_missed_edges(of_kind smallint) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- The same of parents of all kinds.
CREATE FUNCTION rowrunner.note_missed_ends() RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off SET enable_seqscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET lock_timeout = '100ms' AS $$
BEGIN
  IF rowrunner.snapshot_may_be_old() THEN
    RETURN 0;
  END IF;
  RETURN (SELECT coalesce(sum(rowrunner.remove_missed_edges(m.parent_kind)), 0)
          FROM (SELECT DISTINCT c.parent_kind FROM rowrunner.join_candidates c WHERE c.child_kind IS NULL) m);
END
$$;

-- The kinds of which children may be ready; 0 if parents ended with an old snapshot. Kinds are few and candidates may
-- be many, so the index is asked for the next kind each time.
CREATE FUNCTION rowrunner.kinds_to_fire() RETURNS SETOF smallint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
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

-- Lets the children of a kind run whose parents have ended, or whose time has come, and cancels those that a failed
-- parent cancels; about `at_most` of them, and for about half a second. It reads only what ends have noted. Under
-- REPEATABLE READ it does nothing: it could not see an edge that was added since. Answers how many it fired, and what
-- is in the way of the others. What it fires is locked until the transaction ends, and a trigger of the kind's table
-- may take as long as it likes: so workers call it for each kind in a transaction of its own, with a statement_timeout.
CREATE FUNCTION rowrunner.fire_joins_of(kind_id smallint, at_most integer DEFAULT 100, OUT fired integer,
                                        OUT trouble text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off SET enable_seqscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
SET lock_timeout = '100ms' AS $$
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

-- The same for all kinds, one after the other, in one transaction: a child that is cancelled may be the parent of one
-- of another kind. Answers how many it fired.
CREATE FUNCTION rowrunner.fire_joins(at_most integer DEFAULT 100) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- For workers in other languages, which have no poll: called by rowrunner.claim for its kind, and by an end of a kind
-- with joins for the kinds of the jobs that waited for it, so that trouble with other kinds is not theirs. An end fires
-- in its own transaction, so its child is there when it commits. Two last ends at the same time do not see each other,
-- nor does an end see an edge that comes while it waits for its row: the child is left to the next claim of its kind,
-- or poll.
CREATE FUNCTION rowrunner.fire_noted(child_kinds smallint[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF rowrunner.joins_noted(child_kinds) THEN
    PERFORM rowrunner.note_missed_ends();
    PERFORM rowrunner.fire_joins_of(k) FROM unnest(child_kinds) k;
  END IF;
END
$$;

-- The kinds of the jobs that wait for this one.
CREATE FUNCTION rowrunner.kinds_after(of_kind smallint, job_id uuid) RETURNS smallint[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT ARRAY(SELECT DISTINCT e.child_kind FROM rowrunner.edges e WHERE e.parent_kind = $1 AND e.parent_id = $2)
$$;

-- What no trigger saw, because triggers were disabled: edges of parents of this kind that have ended or are gone, on
-- `pages` pages from `from_page` on; and children of this kind without an edge, likewise, or that could not be
-- cancelled, which become candidates again.
CREATE FUNCTION rowrunner.sweep_joins(kind_id smallint, from_page bigint, pages bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
SET lock_timeout = '1s' SET enable_seqscan = off SET enable_mergejoin = off AS $$
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

-- The jobs that wait for a job, directly or over others: those that nothing waits for come first. An edge of a child
-- that has fired already, which is left until the next sweep, does not count.
CREATE FUNCTION rowrunner.jobs_after(of_kind smallint, job_id uuid) RETURNS TABLE (kind text, id uuid)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
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
$$;
