-- The schema's version and the oldest binary that it serves.
SELECT version, oldest_binary FROM rowrunner.schema_info
