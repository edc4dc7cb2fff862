-- The server's clock, in seconds.
SELECT extract(epoch FROM clock_timestamp())::float8
