-- Operation $1 cannot go on because of $2.
UPDATE rowrunner.operations SET state = 'failed', ended_at = now(), error = $2
WHERE id = $1::bigint AND state = 'running'
