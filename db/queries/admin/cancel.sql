-- Cancels job $2 of kind $1 for reason $3; answers what became of it.
SELECT rowrunner.cancel($1, $2::uuid, $3)
