-- The version of the engine's schema, the oldest binary that it serves, and the version of the server's tables.
SELECT s.version, s.oldest_binary,
       coalesce((SELECT max(m.version) FROM rowrunner.migrations m WHERE m.component = 'api'), 0)
FROM rowrunner.schema_info s
