-- A new operation on the failed jobs of kind $1 with fingerprint $2 (NULL: all) for user $3, of which there are $4.
-- No row if the same one is running.
INSERT INTO rowrunner.operations (kind, fingerprint, user_id, matching)
VALUES ($1, $2::bigint, $3, $4::bigint)
ON CONFLICT (kind, coalesce(fingerprint::text, '')) WHERE state = 'running' DO NOTHING
RETURNING id
