-- Extends the leases $1 of worker $2; those of a kind in $3 by as many ms from now as stand in its place in $4.
-- A lease that is not answered is lost.
UPDATE rowrunner.leases
SET expires_at = now() + ($4::bigint[])[array_position($3::smallint[], kind)] * interval '1 ms'
WHERE lease = ANY ($1::bigint[]) AND worker = $2
RETURNING lease
