-- What keeps the entries of the engine in order, and puts them in order.

-- Removes entries of one kind whose job is gone or has moved on, on `pages` pages of each table, from
-- `from_page` on. A page at a time keeps it bounded without an index by job. As in add_missing, the job table
-- is read by a function of rowrunner_job_writer; what it answers has no index, hence by hash.
CREATE FUNCTION rowrunner.sweep_kind(kind_id smallint, from_page bigint, pages bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
SET lock_timeout = '1s' SET enable_seqscan = off SET enable_nestloop = off SET enable_mergejoin = off AS $$
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
$$;

-- The pages of the largest of the tables that sweep_kind walks over.
CREATE FUNCTION rowrunner.pages_to_sweep() RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT max(pg_relation_size(c.oid)) / current_setting('block_size')::bigint
  FROM pg_class c
  WHERE c.relnamespace = 'rowrunner'::regnamespace
    AND c.relname IN ('queue', 'delayed', 'failures', 'steps', 'progress', 'attempts', 'waits', 'edges')
$$;

-- Removes what is no longer needed: counters of last week, workers that vanished yesterday, requests to
-- cancel a job whose lease has ended, and entries whose job is gone or has moved on. Workers call it for
-- some pages at a time and go on at `next_page`, which is NULL at the end; without arguments it walks over
-- everything. A kind whose table cannot be read just now is left for the next time.
CREATE FUNCTION rowrunner.sweep(from_page bigint DEFAULT 0, pages bigint DEFAULT NULL,
                                OUT removed bigint, OUT next_page bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- Second entries of a job, which do no harm but count.
CREATE FUNCTION rowrunner.remove_duplicates(of_kind smallint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_nestloop = off SET jit = off AS $$
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

-- Makes the entries of a kind match its jobs again, after rows came in or changed while the triggers were
-- disabled (pg_restore --disable-triggers, session_replication_role): every job gets the entry that it
-- lacks, and stale and second entries go. Jobs may be enqueued, claimed and ended meanwhile. Jobs that
-- are held (run_at = 'infinity') have no entry. Answers how many entries it added and removed, and what
-- it cannot repair: first, and as a warning, why the next jobs will have no entry either.
CREATE FUNCTION rowrunner.repair(kind text, OUT queued bigint, OUT delayed bigint, OUT failed bigint,
                                 OUT lost bigint, OUT removed bigint, OUT problems text[])
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off AS $$
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
