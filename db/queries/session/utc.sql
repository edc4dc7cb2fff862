-- Times go out as UTC, whatever the server's time zone is. For this transaction only.
SELECT set_config('TimeZone', 'UTC', true)
