-- The worker $1 has stopped.
DELETE FROM rowrunner.workers WHERE worker = $1
