-- Queues the failed or cancelled job $2 of kind $1 again.
SELECT rowrunner.requeue($1, $2::pg_catalog.uuid)
