-- Puts the failed or cancelled job $2 of kind $1 back in line.
SELECT rowrunner.requeue($1, $2::pg_catalog.uuid)
