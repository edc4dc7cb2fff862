-- Sent before a claim of kind $1 that starts behind the last entry seen: two such claims at a time, one
-- in each of the queues $2 (0 or 1), and the others in the order in which they came. Each of thirty-two
-- would scan past what the other thirty-one have locked; but one alone would leave the server idle while
-- the next one is being woken. It is a matter of speed only: a claim that does not get its turn looks for
-- free rows without it.
SELECT set_config('lock_timeout', '1s', true),
       pg_advisory_xact_lock(1920169842, $1::integer * 2 + $2::integer)
