-- What decides whether job $2 of kind $1 can be claimed, in one row: status, paused, live workers, due, run_at, whether
-- it has a queue entry and how many entries are before that (counted up to 10000), whether it has an entry among the
-- delayed jobs (a claim that failed puts it there for up to ten minutes), whether the table's triggers are in place,
-- the worker whose lease on it has expired, the sessions that lock its row or its table (pid, application, start of the
-- transaction), why a claim of it failed, for how many other jobs it waits, and why a worker can claim nothing of the
-- kind; last, whether its entry may be behind the first 10000 of its priority, which are all that is looked through:
-- no index knows the job of an entry, and there may be millions. xmax names a session that has locked or changed the
-- row and not ended yet, unless several do; row_is_free.sql tells whether that lock is in a claim's way.
WITH job AS MATERIALIZED (
  SELECT j.id, j.status, j.priority, j.run_at, j.lease, j.xmax AS locker
  FROM {jobs} j WHERE j.id = $2::uuid
), entry AS MATERIALIZED (
  SELECT q.priority, q.seq
  FROM job CROSS JOIN LATERAL (
    SELECT e.priority, e.seq, e.job_id FROM rowrunner.queue e
    WHERE job.status = 'queued' AND e.kind = $1::smallint AND e.priority = job.priority
    ORDER BY e.kind, e.priority, e.seq LIMIT 10000) q
  WHERE q.job_id = job.id
  ORDER BY q.seq LIMIT 1
), row_lock AS MATERIALIZED (
  SELECT l.pid FROM job JOIN pg_locks l ON l.locktype = 'transactionid' AND l.granted
                                       AND l.transactionid = job.locker
  WHERE l.pid <> pg_backend_pid() LIMIT 1
), table_lock AS MATERIALIZED (
  SELECT l.pid FROM rowrunner.kinds k JOIN pg_locks l ON l.relation = k.job_table
  WHERE k.id = $1::smallint AND l.locktype = 'relation' AND l.granted AND l.pid <> pg_backend_pid()
    AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
    AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
  LIMIT 1
)
SELECT job.status, k.paused,
       (SELECT count(*) FROM rowrunner.live_workers w WHERE k.kind = ANY (w.kinds)) AS workers,
       job.run_at <= now() AS due,
       CASE WHEN isfinite(job.run_at)
            THEN to_char(job.run_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') END AS run_at,
       EXISTS (SELECT FROM entry) AS has_entry,
       (SELECT count(*) FROM (
          SELECT FROM entry JOIN rowrunner.queue q
            ON q.kind = $1::smallint AND (q.priority, q.seq) < (entry.priority, entry.seq)
          LIMIT 10000) x) AS before_it,
       EXISTS (SELECT FROM rowrunner.delayed d
               WHERE d.kind = $1::smallint AND d.priority = job.priority AND d.job_id = job.id
                 AND (d.run_at = job.run_at
                      OR d.run_at BETWEEN now() - interval '1 hour' AND now() + interval '10 minutes')
       ) AS has_delayed_entry,
       (SELECT count(*) >= 4 FROM pg_trigger t
        WHERE t.tgrelid = k.job_table AND t.tgenabled IN ('O', 'A')
          AND t.tgname = ANY ('{rowrunner_insert,rowrunner_update,rowrunner_delete,rowrunner_truncate}')
       ) AS has_triggers,
       (SELECT l.worker FROM rowrunner.leases l
        WHERE l.lease = job.lease AND job.status = 'processing' AND l.expires_at < now()) AS lost_worker,
       r.pid, ra.application_name,
       to_char(ra.xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       t.pid, ta.application_name,
       to_char(ta.xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       (SELECT e.error || to_char(e.retry_at AT TIME ZONE 'UTC',
                                  '" (next try at "YYYY-MM-DD"T"HH24:MI:SS"Z)"')
        FROM rowrunner.claim_errors e
        WHERE e.kind = $1::smallint AND e.job_id = job.id) AS claim_error,
       (SELECT format('%s of %s jobs', (SELECT count(*) FROM rowrunner.edges e
                                        WHERE e.child_kind = w.child_kind AND e.child_id = w.child_id), w.parents)
        FROM rowrunner.waits w WHERE w.child_kind = $1::smallint AND w.child_id = job.id) AS waits_for,
       (SELECT min(w.problems ->> k.kind) FROM rowrunner.live_workers w WHERE k.kind = ANY (w.kinds)) AS kind_problem,
       job.status = 'queued' AND NOT EXISTS (SELECT FROM entry) AND EXISTS (
         SELECT FROM rowrunner.queue q WHERE q.kind = $1::smallint AND q.priority = job.priority
         ORDER BY q.kind, q.priority, q.seq OFFSET 10000) AS entry_may_be_later
FROM job JOIN rowrunner.kinds k ON k.id = $1::smallint
LEFT JOIN row_lock r ON true LEFT JOIN pg_stat_activity ra ON ra.pid = r.pid
LEFT JOIN table_lock t ON true LEFT JOIN pg_stat_activity ta ON ta.pid = t.pid
