-- Ends it.
COMMIT
