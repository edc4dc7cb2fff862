-- Removes leases whose jobs are all settled with this transaction. Runs before the jobs are written:
-- the rescue locks a lease first and its jobs then, and so must everybody.
DELETE FROM rowrunner.leases WHERE lease = ANY ($1::bigint[])
