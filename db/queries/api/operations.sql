-- The operation $1, or (NULL) the newest 50.
SELECT id, kind, fingerprint::text, user_id, state, error,
       to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       to_char(ended_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), matching, requeued, skipped
FROM rowrunner.operations
WHERE $1::bigint IS NULL OR id = $1::bigint
ORDER BY id DESC LIMIT 50
