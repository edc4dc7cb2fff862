-- Queues up to $2 failed jobs of kind $1 again: of those that had failed at $3 and were not refused since (NULL: now).
-- Answers how many, whether there may be more, and that time. Types and functions have their schema, as it runs under
-- the search_path of an application, too.
SELECT requeued, more, pg_catalog.to_char(as_of AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM rowrunner.requeue_failed($1, $2::integer, $3::pg_catalog.timestamptz)
