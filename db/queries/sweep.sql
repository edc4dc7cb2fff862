-- Forgets what nobody asks for any more: counters of last week, workers that vanished yesterday,
-- requests to cancel a job whose lease has ended.
WITH old_counters AS (
  DELETE FROM rowrunner.counters WHERE minute < now() - interval '7 days'
), old_workers AS (
  DELETE FROM rowrunner.workers WHERE seen_at < now() - interval '1 day'
)
DELETE FROM rowrunner.cancellations c
WHERE c.requested_at < now() - interval '1 minute'
  AND NOT EXISTS (SELECT FROM rowrunner.leases l WHERE l.lease = c.lease)
