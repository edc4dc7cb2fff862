-- How long the server works on a statement: $1 milliseconds. $2: until the transaction ends, or for the session.
SELECT pg_catalog.set_config('statement_timeout', $1, $2::pg_catalog.bool)
