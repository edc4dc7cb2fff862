-- A job table that cannot even be read now, and the session that locks it.
SELECT k.job_table::text, l.pid, a.application_name,
       to_char(a.xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
FROM rowrunner.kinds k
JOIN pg_locks l ON l.relation = k.job_table AND l.locktype = 'relation' AND l.granted
               AND l.mode = 'AccessExclusiveLock'
JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
LEFT JOIN pg_stat_activity a ON a.pid = l.pid
LIMIT 1
