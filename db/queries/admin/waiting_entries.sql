-- How many queue entries kind $1 has, counted up to $2, without a look at its job table.
SELECT count(*) FROM (SELECT FROM rowrunner.queue q WHERE q.kind = $1::smallint LIMIT $2::integer) x
