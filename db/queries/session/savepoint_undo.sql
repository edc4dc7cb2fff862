-- Back to the savepoint, as if nothing had been enqueued; the transaction goes on.
ROLLBACK TO SAVEPOINT {name}
