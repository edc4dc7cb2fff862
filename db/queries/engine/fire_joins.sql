-- Lets jobs of kind $1 run whose parents have ended; says how many, and what kept others from it.
SELECT fired, trouble FROM rowrunner.fire_joins_of($1::smallint)
