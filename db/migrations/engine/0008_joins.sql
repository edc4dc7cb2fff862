-- Joins: a job that runs when others, its parents, have ended.
--
-- A child that waits is held by its own row: it is queued with run_at = 'infinity', and the time at which it wants to
-- run is kept in `waits`. A claim refuses it, whatever entry it has. `edges` name the parents that have not ended; a
-- statement trigger on their table removes them at each end and notes the child in `join_candidates`. What polls
-- reads only these (rowrunner.fire_joins). There is no counter, and no row that several ends write.
--
-- Order of locks: an end holds its job's row and takes what it can get of its edges; run_after holds the child's
-- `waits` row, then locks parents; firing holds a `waits` row and skips a child whose row is locked; whatever
-- ends a child holds its row, then takes its `waits` row. So none of them waits for a session that waits for it.

-- The children that are held. Written by run_after and by a change of the child, removed when it is fired or ends.
CREATE TABLE rowrunner.waits (
  child_kind  smallint NOT NULL,
  child_id    uuid NOT NULL,
  -- When the child wants to run: its run_at before it was held.
  run_at      timestamptz NOT NULL,
  when_failed text NOT NULL CHECK (when_failed IN ('run', 'cancel', 'hold')),
  -- From then on it runs without its parents.
  at_latest   timestamptz,
  -- How many parents were named, for people.
  parents     integer NOT NULL,
  -- Set if it must be cancelled, and its row could not be written.
  cancel_reason text,
  PRIMARY KEY (child_kind, child_id)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX waits_at_latest ON rowrunner.waits (at_latest) WHERE at_latest IS NOT NULL;

-- A parent that has not ended, and with when_failed = 'hold' one that ended badly. Without a `waits` row of its child
-- an edge means nothing.
CREATE TABLE rowrunner.edges (
  parent_kind smallint NOT NULL,
  parent_id   uuid NOT NULL,
  child_kind  smallint NOT NULL,
  child_id    uuid NOT NULL,
  PRIMARY KEY (parent_kind, parent_id, child_kind, child_id)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX edges_of_child ON rowrunner.edges (child_kind, child_id);

-- Children that may be ready. Not unique: two ends would wait for each other. A parent is named if it failed, or if its
-- edge was locked when it ended; that edge is removed before the child is fired. One without a child is a parent that
-- ended with an old snapshot: under REPEATABLE READ or SERIALIZABLE an end does not see an edge that was committed after
-- its snapshot was taken, so fire_joins looks for its edges with a newer one.
CREATE TABLE rowrunner.join_candidates (
  child_kind  smallint,
  child_id    uuid,
  parent_kind smallint,
  parent_id   uuid,
  failed      boolean NOT NULL DEFAULT false,
  CONSTRAINT child_or_parent CHECK ((child_kind IS NULL) = (child_id IS NULL)
                                    AND coalesce(child_id, parent_id) IS NOT NULL)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX candidates_of_child ON rowrunner.join_candidates (child_kind, child_id);

-- Whether a claim or an end has anything to fire: jobs of one of these kinds, or edges to parents that ended with an
-- old snapshot, whose children may be of any kind.
CREATE FUNCTION rowrunner.joins_noted(child_kinds smallint[]) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT FROM rowrunner.join_candidates c WHERE c.child_kind = ANY ($1))
      OR EXISTS (SELECT FROM rowrunner.join_candidates c WHERE c.child_kind IS NULL)
      OR EXISTS (SELECT FROM rowrunner.waits w WHERE w.at_latest <= now() AND w.child_kind = ANY ($1))
$$;

-- Whether a bad end of a parent leaves this child waiting.
CREATE FUNCTION rowrunner.waits_for_success(of_kind smallint, job_id uuid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT FROM rowrunner.waits w
                 WHERE w.child_kind = of_kind AND w.child_id = job_id AND w.when_failed = 'hold')
$$;

-- The edges of parents that have ended go, and their children become candidates. A bad end of a parent leaves the
-- edge to a child that is held until success. An edge that another session has locked is left to fire_joins.
CREATE FUNCTION rowrunner.note_free_ends(of_kind smallint, ids uuid[], bad boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- The same at less cost as long as no edge is locked, which is nearly always so.
CREATE FUNCTION rowrunner.note_ends(of_kind smallint, ids uuid[], bad boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- Says whether a statement of this transaction may miss what was committed before it. Without a search_path of its own,
-- which its parsed body does not need, it becomes a part of the expression that calls it.
CREATE FUNCTION rowrunner.snapshot_may_be_old() RETURNS boolean
LANGUAGE sql STABLE
RETURN current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted');

CREATE FUNCTION rowrunner.note_old_snapshot(of_kind smallint, ids uuid[]) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO rowrunner.join_candidates (parent_kind, parent_id) SELECT $1, i FROM unnest($2) i
$$;

-- Of these jobs, which are in order, those end that something waits for. `near` are parents between the first and the
-- last of them, in order too: all of these, or more of them than are worth a search.
CREATE FUNCTION rowrunner.note_near(of_kind smallint, ids uuid[], near uuid[], bad boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- AFTER UPDATE, once per statement, on tables whose jobs can be parents. Argument: kind id. It runs after the
-- statement and, under READ COMMITTED, with a snapshot of its own, so it sees an edge that was committed while the
-- end waited for the row. Every claim and every end pays for each look at what was written. So there is one of them,
-- and in it the status that claims write is compared first; what follows is for ends.
CREATE FUNCTION rowrunner.on_parent_update() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
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

-- AFTER DELETE, likewise: a parent that had not succeeded counts as cancelled.
CREATE FUNCTION rowrunner.on_parent_delete() RETURNS trigger
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

-- A child waits no longer. Edges that are locked are being removed by an end; what that leaves is swept.
CREATE FUNCTION rowrunner.forget_wait(of_kind smallint, job_id uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM rowrunner.waits w WHERE w.child_kind = of_kind AND w.child_id = job_id;
  DELETE FROM rowrunner.edges WHERE ctid = ANY (ARRAY(
    SELECT e.ctid FROM rowrunner.edges e WHERE e.child_kind = of_kind AND e.child_id = job_id
    FOR UPDATE SKIP LOCKED));
END
$$;

-- A kind has no jobs any more, neither as children nor as parents.
CREATE FUNCTION rowrunner.forget_joins(of_kind smallint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM rowrunner.waits w WHERE w.child_kind = of_kind;
  DELETE FROM rowrunner.edges e WHERE e.child_kind = of_kind;
  DELETE FROM rowrunner.join_candidates c WHERE c.child_kind = of_kind;
  PERFORM rowrunner.note_ends(of_kind, ARRAY(SELECT DISTINCT e.parent_id FROM rowrunner.edges e
                                             WHERE e.parent_kind = of_kind), true);
END
$$;

-- What waits for others would be held for ever when its kind is detached. A row that cannot be written, or is gone
-- without a trigger having seen it, does not keep the table attached. What is deferred does not run as the caller.
CREATE FUNCTION rowrunner.unhold_held(mine rowrunner.kinds) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- Refuses what run_after cannot be asked for, before anything is locked.
CREATE FUNCTION rowrunner.check_join(child rowrunner.kinds, child_id uuid, parent rowrunner.kinds, parent_ids uuid[],
                                     when_failed text, at_latest interval) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
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

-- Locks the child's waits row. If it has none, the child must be a job that this transaction has written: another one
-- has fired, or may run at any moment. The answer has no when_failed then.
CREATE FUNCTION rowrunner.lock_wait(child rowrunner.kinds, job_id uuid) RETURNS rowrunner.waits
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- Locks the parents and sorts them: `open` are waited for, `bad` have ended badly.
CREATE FUNCTION rowrunner.lock_parents(parent rowrunner.kinds, ids uuid[], policy text, OUT open uuid[], OUT bad uuid[],
                                       OUT named integer)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- An error if one of these parents waits for the child, over any number of others. Only a child that others wait for
-- and a parent that waits can make a cycle; such calls come one after the other, by the lock on a row that only the
-- engine can lock. With an older snapshot they would not see each other; there only a child that began to wait in this
-- transaction can be given such a parent, as no other knows it. What a transaction wrote itself has no age.
CREATE FUNCTION rowrunner.refuse_cycle(child rowrunner.kinds, job_id uuid, parent rowrunner.kinds, ids uuid[])
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- Lets a job run when others have ended: in the transaction that enqueues it, and later to add parents while it waits.
-- `when_failed` says what a parent that failed or was cancelled means: 'run' (the default) counts it as an end,
-- 'cancel' cancels the child, 'hold' waits until it has run again and succeeded. After `at_latest` it runs regardless.
-- Answers for how many of these parents it waits; 0 leaves a job that did not wait as it is.
CREATE FUNCTION rowrunner.run_after(child_kind text, child_id uuid, parent_kind text, parent_ids uuid[],
                                    when_failed text DEFAULT NULL, at_latest interval DEFAULT NULL) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET jit = off AS $$
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
