-- Starts a transaction of several round trips: settling jobs that have effects.
BEGIN
