-- Lets jobs run whose parents have ended; says how many.
SELECT rowrunner.fire_joins()
