-- The key $1 as all processes see it, one row: calls a second, when they were planned, processes, calls that are wanted
-- and under way, calls sent and rejected in the last five seconds, the end of a block, and what calls wait for.
SELECT s.rate, s.planned_at, s.processes, s.wanted, s.in_flight, s.sent, s.rejected, s.blocked_until, s.waits_for
FROM rowrunner_limits.state($1) AS s
