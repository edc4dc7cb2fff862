-- A sign-in for so many seconds; those that are over are removed on this occasion.
WITH expired AS (
  DELETE FROM rowrunner.web_sessions s
  WHERE s.id IN (SELECT e.id FROM rowrunner.web_sessions e WHERE e.expires_at <= now()
                 ORDER BY e.expires_at LIMIT 100 FOR UPDATE SKIP LOCKED)
)
INSERT INTO rowrunner.web_sessions (hash, token_id, expires_at)
SELECT decode($1, 'hex'), t.id, now() + make_interval(secs => $3::integer)
FROM rowrunner.tokens t WHERE t.id = $2 AND t.revoked_at IS NULL
RETURNING id
