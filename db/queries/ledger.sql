-- The migrations that ran here.
SELECT version, name, checksum, to_json(applied_at AT TIME ZONE 'UTC')#>>'{}' || 'Z'
FROM rowrunner.migrations ORDER BY version
