-- Stores plans ($1, {key, epoch, plan} each) unless there are some, and gives those that are stored.
SELECT p.key, p.plan::text FROM rowrunner_limits.propose($1::jsonb) AS p
