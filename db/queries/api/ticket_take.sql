-- Takes a ticket, in the columns of token_of_id: of two that ask at the same time, one gets it. A wrong secret
-- must not use it up, so the hash is compared here: of 256 random bits, the time of that tells nothing.
WITH taken AS (
  DELETE FROM rowrunner.tickets k WHERE k.id = $1 AND k.hash = decode($2, 'hex')
  RETURNING k.hash, k.token_id, k.expires_at
)
SELECT encode(k.hash, 'hex'), t.user_id, t.role, t.id, 0
FROM taken k JOIN rowrunner.tokens t ON t.id = k.token_id
WHERE k.expires_at > now() AND t.revoked_at IS NULL
