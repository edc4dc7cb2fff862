-- Lets job $2 of kind $1 run now; answers its status.
SELECT rowrunner.run_now($1, $2::uuid)
