-- Each statement sees what was committed before it, whatever the default of the database is.
SET TRANSACTION ISOLATION LEVEL READ COMMITTED
