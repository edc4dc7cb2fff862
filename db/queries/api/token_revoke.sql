-- Revoked once; its sign-ins and tickets end with it. One row for each token that exists.
WITH revoked AS (
  UPDATE rowrunner.tokens t SET revoked_at = coalesce(t.revoked_at, now()) WHERE t.id = $1 RETURNING t.id
), ended AS (
  DELETE FROM rowrunner.web_sessions s USING revoked r WHERE s.token_id = r.id
), used AS (
  DELETE FROM rowrunner.tickets k USING revoked r WHERE k.token_id = r.id
)
SELECT r.id FROM revoked r
