-- Sent before a rescue: it is on the connection of the claims, so it must not wait long for what a
-- trigger of the job table may change.
SELECT set_config('lock_timeout', '100ms', true), set_config('jit', 'off', true)
