-- Only the system's own functions, operators and types stand for names without a schema, until the
-- transaction ends: in any other schema of the path somebody may have made one of the same name.
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true)
