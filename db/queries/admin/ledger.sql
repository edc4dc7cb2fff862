-- The migrations that ran here.
SELECT component, version, name, checksum, to_json(applied_at AT TIME ZONE 'UTC')#>>'{}' || 'Z'
FROM rowrunner.migrations ORDER BY component, version
