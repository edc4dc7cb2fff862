-- Sent before a claim of kind $1 that starts behind the last place seen: one such claim at a time, in
-- the order in which they came. Two at once would each pass over what the other one has locked, and of
-- thirty-two each over what thirty-one have. It is a matter of speed alone: a claim that does not get
-- its turn looks for free rows without it.
SELECT set_config('lock_timeout', '1s', true), pg_advisory_xact_lock(1920169842, $1::integer)
