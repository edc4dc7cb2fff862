-- Cancels job $2 of kind $1 for reason $3, and if $4 those that wait for it; answers what became of it.
SELECT rowrunner.cancel($1, $2::uuid, $3, $4::boolean)
