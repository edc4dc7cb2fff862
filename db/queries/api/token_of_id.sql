-- The secret is compared by the caller, in constant time.
SELECT encode(t.hash, 'hex'), t.user_id, t.role, t.id, 0 FROM rowrunner.tokens t
WHERE t.id = $1 AND t.revoked_at IS NULL
