-- How long the rest of this transaction waits for a lock: $1, as '50ms'.
SELECT set_config('lock_timeout', $1, true)
