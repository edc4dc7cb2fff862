-- Removes leases whose jobs are all settled with this transaction. Runs before the jobs are written:
-- the rescue locks a lease before its jobs, and so must every other statement. $2 is the server that the
-- worker has written to so far (write_settings); another one, a standby that was promoted, may not
-- have all ends that were acknowledged, so there the leases are left to expire.
DELETE FROM rowrunner.leases WHERE lease = ANY ($1::bigint[])
  AND ($2::bigint = 0 OR $2 = (EXTRACT(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint)
