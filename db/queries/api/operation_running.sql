-- The operation on kind $1 and fingerprint $2 that is running.
SELECT id FROM rowrunner.operations
WHERE state = 'running' AND kind = $1 AND coalesce(fingerprint::text, '') = coalesce($2, '')
