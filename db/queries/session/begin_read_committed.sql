-- The same, where each statement must see what was committed before it, whatever the default of the database is.
BEGIN ISOLATION LEVEL READ COMMITTED
