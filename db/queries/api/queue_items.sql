-- The first $2 jobs in the queue of kind $1, in the order in which they are claimed.
SELECT q.job_id FROM rowrunner.queue q WHERE q.kind = $1::smallint ORDER BY q.kind, q.priority, q.seq LIMIT $2::integer
