-- What keeps VACUUM from removing dead rows of this database: sessions with an old snapshot or an open
-- transaction, standbys that report theirs, replication slots and prepared transactions; the oldest
-- first. What the asking role may not see of a session (without pg_read_all_stats) is NULL. Statements
-- end before their first literal, which may be a secret. VACUUM itself holds nothing up.
SELECT what, name, application, username, state,
       to_char(since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       EXTRACT(epoch FROM clock_timestamp() - since)::float8, transactions,
       left(regexp_replace(statement, $$('|\$[[:alpha:]_]*\$).*$$, '…'), 200)
FROM (
  SELECT CASE WHEN r.pid IS NULL THEN 'session' ELSE 'standby' END AS what, a.pid::text AS name,
         a.application_name AS application, a.usename::text AS username, a.state,
         a.xact_start AS since, greatest(age(a.backend_xid), age(a.backend_xmin)) AS transactions,
         CASE WHEN a.state IS NOT NULL THEN a.query END AS statement
  FROM pg_stat_activity a LEFT JOIN pg_stat_replication r ON r.pid = a.pid
  WHERE (a.backend_xid IS NOT NULL OR a.backend_xmin IS NOT NULL)
    AND a.pid <> pg_backend_pid() AND a.leader_pid IS NULL
    AND (a.datname = current_database() AND a.usename IS NOT NULL OR r.pid IS NOT NULL)
    AND a.query !~* '^\s*vacuum'
  UNION ALL
  SELECT 'slot', slot_name, plugin, NULL, CASE WHEN active THEN 'active' ELSE 'inactive' END, NULL,
         age(xmin), NULL
  FROM pg_replication_slots
  WHERE xmin IS NOT NULL AND (database IS NULL OR database = current_database())
  UNION ALL
  SELECT 'prepared', gid, NULL, owner, 'prepared', prepared, age(transaction), NULL
  FROM pg_prepared_xacts WHERE database = current_database()
) holders
ORDER BY transactions DESC, since NULLS LAST LIMIT 10
