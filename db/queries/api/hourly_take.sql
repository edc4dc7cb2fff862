-- Counts a call of user $1 to endpoint $2 if it is one of the $3 of this clock hour: whether it is, and the seconds
-- that are left.
SELECT c.counted, c.seconds_left FROM rowrunner.count_call($1, $2, $3) c
