-- Queues the jobs $2 of kind $1 again; says how many had failed or were cancelled still.
SELECT count(*) FILTER (WHERE rowrunner.requeue($1, one.id)) FROM unnest($2::uuid[]) AS one (id)
