-- The schema has version $1 now.
UPDATE rowrunner.schema_info SET version = $1::integer
