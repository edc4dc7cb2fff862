-- Asks the next enqueue of the kinds $1 for a wake-up; good for a minute.
SELECT setval(wakeup, (EXTRACT(epoch FROM clock_timestamp()) * 1000)::bigint + 60000)
FROM rowrunner.kinds WHERE id = ANY ($1::smallint[])
