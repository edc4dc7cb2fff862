-- Takes up to $4 jobs of kind $1 from the queue, behind the entry ($2, $3), under lease $5 for worker
-- $6, for $7 ms. An entry whose job no longer matches it is deleted too. Every answered row says how many
-- entries were seen; if no job was taken there is one row, with a NULL id.
-- If it starts among entries at the back of the queue ($3 is positive), then behind what any worker has
-- reached at that priority: what the others took are dead entries that it would have to scan past.
-- Filled in for each kind: {jobs} is the job table, {table} its name as a literal, {columns} the columns that the
-- handler wants (columns_of.sql).
-- run_at is compared with the clock, not with now(), which is the start of the transaction: a job
-- that was enqueued after that would seem to be early, and lose its entry.
-- The conditions on a job are inside a CASE, which the planner makes no estimate of: by statistics from a time
-- when nothing was queued it would expect no such job, and scan the whole table for one first.
-- A job is taken only if its row says so after the triggers of its table: one that they changed fails the
-- statement, which undoes what they did, and the jobs are claimed one by one.
-- The table that the statement names must be the one that is attached: in another one no job would be
-- found, and every entry would vanish.
WITH entry AS MATERIALIZED (
  SELECT ctid, priority, seq, job_id
  FROM rowrunner.queue
  WHERE kind = $1::smallint
    AND (priority, seq) > ($2::smallint,
                           CASE WHEN $3::bigint > 0
                                THEN (SELECT greatest($3::bigint,
                                                      rowrunner.reached_seq(k.reached, $2::smallint))
                                      FROM rowrunner.kinds k WHERE k.id = $1::smallint)
                                ELSE $3::bigint END)
    AND NOT (SELECT CASE WHEN job_table = {table}::regclass THEN paused
                         ELSE rowrunner.refuse_table(id, {table}::regclass) END
             FROM rowrunner.kinds WHERE id = $1::smallint)
  ORDER BY kind, priority, seq
  LIMIT $4::integer
  FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM rowrunner.queue WHERE ctid = ANY (ARRAY(SELECT ctid FROM entry))
), taken AS (
  UPDATE {jobs} j
  SET status = 'processing', lease = $5::bigint, locked_at = now(), locked_by = $6, updated_at = now()
  FROM entry p
  WHERE j.id = p.job_id
    AND CASE WHEN j.status = 'queued' AND j.priority = p.priority THEN j.run_at <= clock_timestamp() END
  RETURNING p.priority AS entry_priority, p.seq AS entry_seq,
            CASE WHEN j.status = 'processing' AND j.lease = $5::bigint THEN j.id
                 ELSE rowrunner.refuse_claim(j.id) END AS id, j.attempts, j.max_attempts,
            j.run_at AS due_at{columns}
), seen AS MATERIALIZED (
  SELECT count(*) AS n, max(rowrunner.reached_mark(priority, seq)) AS last FROM entry
), untaken AS MATERIALIZED (
  -- Entries whose jobs were not taken, read only if there are any: of jobs that ended or are held, whose entries are
  -- just deleted; or of jobs that are still queued, as they are not due yet (the clock was set back) or a trigger has
  -- suppressed the UPDATE. set_aside_untaken puts these among the delayed.
  SELECT array_agg(job_id) AS ids, array_agg(priority) AS priorities
  FROM entry WHERE job_id NOT IN (SELECT id FROM taken)
), batch AS MATERIALIZED (
  -- The mark moves when the jobs are taken and not before: if that fails, it could not be moved back.
  SELECT t.n, t.ids, rowrunner.reach(k.reached, s.last),
         CASE WHEN s.n > t.n AND EXISTS (SELECT FROM {jobs} j
                                         WHERE j.id = ANY ((SELECT ids FROM untaken)::uuid[])
                                           AND j.status = 'queued' AND j.run_at < 'infinity')
              THEN rowrunner.set_aside_untaken($1::smallint, {table}::regclass, (SELECT ids FROM untaken),
                                               (SELECT priorities FROM untaken)) END
  FROM (SELECT count(*) AS n, array_agg(id) AS ids FROM taken) t, seen s, rowrunner.kinds k
  WHERE k.id = $1::smallint
), leased AS (
  INSERT INTO rowrunner.leases (lease, kind, worker, expires_at, job_ids)
  SELECT $5::bigint, $1::smallint, $6, now() + $7::bigint * interval '1 ms', ids FROM batch WHERE n > 0
)
SELECT s.n AS seen, t.* FROM seen s LEFT JOIN taken t ON true
