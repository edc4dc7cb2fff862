-- Sent before a rescue: it is on the connection of the claims, so it must not wait long for what a
-- trigger of the job table may change. A row that a policy hides would look as if it were not processing.
SELECT set_config('lock_timeout', '100ms', true), set_config('jit', 'off', true),
       set_config('row_security', 'off', true)
