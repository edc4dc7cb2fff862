-- What there is to do, the oldest first.
SELECT id FROM rowrunner.operations WHERE state = 'running' ORDER BY id LIMIT 20
