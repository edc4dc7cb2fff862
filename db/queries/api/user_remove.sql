-- Withdraws all tokens of user $1, with the sign-ins and tickets: 'removed', 'unknown' if there is no such user, or 'last'
-- if no other admin would be left. Tokens of admins are locked first, so that two admins cannot remove each other at once.
WITH admins AS MATERIALIZED (
  SELECT t.user_id FROM rowrunner.tokens t WHERE t.role = 'admin' AND t.revoked_at IS NULL ORDER BY t.id
  FOR NO KEY UPDATE
), facts AS MATERIALIZED (
  SELECT EXISTS (SELECT FROM rowrunner.tokens t WHERE t.user_id = $1 AND t.revoked_at IS NULL) AS known,
         NOT EXISTS (SELECT FROM admins a WHERE a.user_id = $1)
         OR EXISTS (SELECT FROM admins a WHERE a.user_id <> $1) AS allowed
), revoked AS (
  UPDATE rowrunner.tokens t SET revoked_at = now() FROM facts f
  WHERE f.known AND f.allowed AND t.user_id = $1 AND t.revoked_at IS NULL RETURNING t.id
), ended AS (
  DELETE FROM rowrunner.web_sessions s USING revoked r WHERE s.token_id = r.id
), used AS (
  DELETE FROM rowrunner.tickets k USING revoked r WHERE k.token_id = r.id
)
SELECT CASE WHEN NOT f.known THEN 'unknown' WHEN NOT f.allowed THEN 'last' ELSE 'removed' END FROM facts f
