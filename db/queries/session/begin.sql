-- Starts a transaction of several round trips.
BEGIN
