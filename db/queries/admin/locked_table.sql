-- A job table, of kind $1 or (NULL) of any, that cannot be read now, and the session that locks it. While a session
-- waits for such a lock, everything that comes later waits behind it, so that one counts, too.
SELECT k.job_table::text, l.pid, a.application_name,
       to_char(a.xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
FROM rowrunner.kinds k
JOIN pg_locks l ON l.relation = k.job_table AND l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock'
JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
LEFT JOIN pg_stat_activity a ON a.pid = l.pid
WHERE k.id = coalesce($1::smallint, k.id)
ORDER BY l.granted DESC, a.xact_start
LIMIT 1
