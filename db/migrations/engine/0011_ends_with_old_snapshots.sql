-- Joins (0008_joins.sql): an end under REPEATABLE READ or SERIALIZABLE does not see an edge that was committed after its
-- snapshot was taken. Such an end is noted, and fire_joins looks for its edges with a newer one.

-- A candidate without a child is a parent that ended with an old snapshot.
ALTER TABLE rowrunner.join_candidates ALTER COLUMN child_kind DROP NOT NULL, ALTER COLUMN child_id DROP NOT NULL,
  ADD CONSTRAINT child_or_parent CHECK ((child_kind IS NULL) = (child_id IS NULL)
                                        AND coalesce(child_id, parent_id) IS NOT NULL);

-- Says whether a statement of this transaction may miss what was committed before it. Without a search_path of its own,
-- which its parsed body does not need, it becomes a part of the expression that calls it.
CREATE FUNCTION rowrunner.snapshot_may_be_old() RETURNS boolean
LANGUAGE sql STABLE
RETURN current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted');

CREATE FUNCTION rowrunner.note_old_snapshot(of_kind smallint, ids uuid[]) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO rowrunner.join_candidates (parent_kind, parent_id) SELECT $1, i FROM unnest($2) i
$$;

-- Those of these jobs, which are in order, that something waits for, if they are few.
CREATE FUNCTION rowrunner.parents_among(of_kind smallint, ids uuid[]) RETURNS uuid[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  few CONSTANT integer := cardinality(ids) / 8;
  near CONSTANT uuid[] := ARRAY(
    SELECT e.parent_id FROM rowrunner.edges e
    WHERE e.parent_kind = of_kind AND e.parent_id >= ids[1] AND e.parent_id <= ids[cardinality(ids)]
    ORDER BY e.parent_kind, e.parent_id LIMIT few + 1);
BEGIN
  IF cardinality(near) > few THEN
    RETURN ids;
  END IF;
  RETURN ARRAY(SELECT n FROM unnest(near) n WHERE n = ANY (ids));
END
$$;

-- AFTER UPDATE, once per statement, on tables whose jobs can be parents. Argument: kind id. It runs after the
-- statement and, under READ COMMITTED, with a snapshot of its own, so it sees an edge that was committed while the
-- end waited for the row.
CREATE OR REPLACE FUNCTION rowrunner.on_parent_update() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
#variable_conflict use_variable
DECLARE
  my_kind CONSTANT smallint := TG_ARGV[0];
  good uuid[];
  bad uuid[];
BEGIN
  IF (SELECT pg_typeof(w.id) <> 'uuid'::regtype OR pg_typeof(w.status) <> 'text'::regtype FROM written w LIMIT 1) THEN
    PERFORM rowrunner.refuse_types();
  END IF;
  -- A claim ends nothing.
  IF NOT EXISTS (SELECT FROM written w WHERE w.status NOT IN ('queued', 'processing')) THEN
    RETURN NULL;
  END IF;
  SELECT array_agg(w.id ORDER BY w.id) FILTER (WHERE w.status = 'succeeded'),
         array_agg(w.id ORDER BY w.id) FILTER (WHERE w.status NOT IN ('queued', 'processing', 'succeeded'))
    INTO good, bad FROM written w;
  IF rowrunner.snapshot_may_be_old() THEN
    PERFORM rowrunner.note_old_snapshot(my_kind, good || bad);
  END IF;
  -- Jobs that end together were mostly enqueued together, and to look for the edges of each costs a tenth of what its
  -- whole life costs: so first those between the first and the last of them.
  IF EXISTS (SELECT FROM rowrunner.edges e WHERE e.parent_kind = my_kind AND e.parent_id >= good[1]
                                             AND e.parent_id <= good[cardinality(good)]) THEN
    PERFORM rowrunner.note_ends(my_kind, rowrunner.parents_among(my_kind, good), false);
  END IF;
  IF EXISTS (SELECT FROM rowrunner.edges e WHERE e.parent_kind = my_kind AND e.parent_id >= bad[1]
                                             AND e.parent_id <= bad[cardinality(bad)]) THEN
    PERFORM rowrunner.note_ends(my_kind, rowrunner.parents_among(my_kind, bad), true);
  END IF;
  RETURN NULL;
END
$$;

-- AFTER DELETE, likewise: a parent that had not succeeded counts as cancelled.
CREATE OR REPLACE FUNCTION rowrunner.on_parent_delete() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
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

-- The edges of parents of this kind that ended with an old snapshot.
CREATE FUNCTION rowrunner.remove_missed_edges(of_kind smallint) RETURNS void
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
EXCEPTION WHEN OTHERS THEN
  -- The next call tries again if it may help: the table is locked, the server is in trouble.
  IF SQLSTATE !~ '^(40|53|55|57|58)' THEN
    RAISE WARNING 'what waits for jobs of kind % that ended is left to the sweep: %',
      (SELECT k.kind FROM rowrunner.kinds k WHERE k.id = of_kind), SQLERRM;
    DELETE FROM rowrunner.join_candidates c WHERE c.ctid = ANY (notes);
  END IF;
END
$$;

-- Lets the children run whose parents have ended, or whose time has come, and cancels those that a failed parent
-- cancels; about `at_most` of them, and for about a second. It reads only what ends have noted. Under REPEATABLE
-- READ it does nothing: it could not see an edge that was added since. Answers how many it fired.
CREATE OR REPLACE FUNCTION rowrunner.fire_joins(at_most integer DEFAULT 100) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off SET enable_seqscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET lock_timeout = '100ms' AS $$
DECLARE
  until CONSTANT timestamptz := clock_timestamp() + interval '1 second';
  fired integer := 0;
  blocked smallint[] := '{}';
  overdue boolean;
  ready rowrunner.waits[];
  waiting rowrunner.waits;
  verdict text;
BEGIN
  IF rowrunner.snapshot_may_be_old() THEN
    RETURN 0;
  END IF;
  PERFORM rowrunner.remove_missed_edges(m.parent_kind)
    FROM (SELECT DISTINCT c.parent_kind FROM rowrunner.join_candidates c WHERE c.child_kind IS NULL) m;
  FOREACH overdue IN ARRAY '{false,true}'::boolean[] LOOP
    waiting := NULL;
    WHILE fired < at_most AND clock_timestamp() < until LOOP
      ready := CASE WHEN overdue THEN ARRAY(SELECT w FROM rowrunner.lock_overdue(waiting, blocked, at_most) w)
                    ELSE ARRAY(SELECT w FROM rowrunner.lock_candidates(waiting, blocked, at_most) w) END;
      EXIT WHEN cardinality(ready) = 0;
      FOREACH waiting IN ARRAY ready LOOP
        CONTINUE WHEN waiting.child_kind = ANY (blocked) OR clock_timestamp() > until;
        verdict := rowrunner.try_to_fire(waiting);
        fired := fired + (verdict = 'fired')::integer;
        IF verdict = 'blocked' THEN
          blocked := blocked || waiting.child_kind;
        END IF;
      END LOOP;
    END LOOP;
  END LOOP;
  -- Of children that wait no longer.
  DELETE FROM rowrunner.join_candidates WHERE ctid = ANY (ARRAY(
    SELECT c.ctid FROM rowrunner.join_candidates c
    WHERE c.child_kind IS NOT NULL
      AND NOT EXISTS (SELECT FROM rowrunner.waits w WHERE w.child_kind = c.child_kind AND w.child_id = c.child_id)
    FOR UPDATE SKIP LOCKED));
  RETURN fired;
END
$$;

-- What no trigger saw, because triggers were disabled: edges of parents of this kind that have ended or are gone, on
-- `pages` pages from `from_page` on; and children of this kind without an edge, likewise, or that could not be
-- cancelled, which become candidates again.
CREATE OR REPLACE FUNCTION rowrunner.sweep_joins(kind_id smallint, from_page bigint, pages bigint) RETURNS bigint
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
