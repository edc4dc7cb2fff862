-- Moves the delayed jobs of the kinds $1 whose time has come into the queue.
SELECT rowrunner.move_due($1::smallint[])
