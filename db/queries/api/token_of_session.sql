-- The sign-in of a cookie, in the columns of token_of_id.
SELECT encode(s.hash, 'hex'), t.user_id, t.role, t.id, s.id
FROM rowrunner.web_sessions s JOIN rowrunner.tokens t ON t.id = s.token_id
WHERE s.id = $1 AND s.expires_at > now() AND t.revoked_at IS NULL
