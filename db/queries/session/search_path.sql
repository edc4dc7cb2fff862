-- Only the system's own functions, operators and types stand for names without a schema: in any other
-- schema of the path another role may have made one of the same name. $1: until the transaction ends, which is
-- what works behind a pooler, or for the session.
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', $1::pg_catalog.bool)
