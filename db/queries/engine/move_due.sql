-- Moves the delayed jobs of the kinds $1 whose time has come into the line.
SELECT rowrunner.move_due($1::smallint[])
