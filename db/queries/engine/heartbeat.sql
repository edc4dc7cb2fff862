-- Extends the leases $1 of worker $2 to $3 ms from now. A lease that is not answered is lost.
UPDATE rowrunner.leases
SET expires_at = now() + $3::bigint * interval '1 ms'
WHERE lease = ANY ($1::bigint[]) AND worker = $2
RETURNING lease
