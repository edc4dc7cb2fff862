-- Takes it back.
ROLLBACK
