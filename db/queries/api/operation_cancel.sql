-- Ends operation $1 before it has done everything.
UPDATE rowrunner.operations SET state = 'cancelled', ended_at = now() WHERE id = $1::bigint AND state = 'running'
RETURNING id
