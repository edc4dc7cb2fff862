-- What there is to do for the kinds $1, in one statement, so that an idle worker costs the server one
-- statement a poll: whether a job waits, when the next delayed one is due (ms), whether a lease has
-- expired, whether the wake-up flag is armed, how many workers share the queue, whether
-- joins of any kind may be ready. The queue is read
-- only for the kinds $2, of which nothing is being claimed: where an old snapshot is held, that scans
-- past all that was taken since.
SELECT k.id, k.paused,
       k.id = ANY ($2::smallint[])
         AND EXISTS (SELECT FROM rowrunner.queue q WHERE q.kind = k.id) AS waiting,
       (SELECT (EXTRACT(epoch FROM d.run_at - now()) * 1000)::bigint FROM rowrunner.delayed d
        WHERE d.kind = k.id AND d.run_at < 'infinity' ORDER BY d.run_at LIMIT 1) AS next_due_ms,
       EXISTS (SELECT FROM rowrunner.leases l WHERE l.kind = k.id AND l.expires_at < now()) AS expired,
       coalesce(pg_sequence_last_value(k.wakeup), 0) > EXTRACT(epoch FROM clock_timestamp()) * 1000 AS armed,
       (SELECT count(*) FROM rowrunner.live_workers w WHERE k.kind = ANY (w.kinds)) AS workers,
       (SELECT EXISTS (SELECT FROM rowrunner.join_candidates)
            OR EXISTS (SELECT FROM rowrunner.waits w WHERE w.at_latest <= now())) AS joins
FROM rowrunner.kinds k
WHERE k.id = ANY ($1::smallint[])
