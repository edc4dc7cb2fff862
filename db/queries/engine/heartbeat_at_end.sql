-- Extends those of the leases $1 of worker $2 that are being ended, as heartbeat does, as long as the end has not
-- arrived. It never waits for the end; a lease that is not answered may have ended.
UPDATE rowrunner.leases
SET expires_at = now() + ($4::bigint[])[array_position($3::smallint[], kind)] * interval '1 ms'
WHERE lease = ANY (ARRAY(SELECT lease FROM rowrunner.leases
                         WHERE lease = ANY ($1::bigint[]) AND worker = $2
                         FOR UPDATE SKIP LOCKED))
RETURNING lease
