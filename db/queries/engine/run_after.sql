-- Lets job $2 of kind $1 run after the jobs $4 of kind $3, with the policy $5, after $6 ms at the latest.
SELECT rowrunner.run_after($1, $2::pg_catalog.uuid, $3, $4::pg_catalog.uuid[], $5,
                           pg_catalog.make_interval(secs => pg_catalog.float8div($6::pg_catalog.float8, 1000)))
