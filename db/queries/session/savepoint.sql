-- What comes next may fail without harm to what the caller's transaction did before.
SAVEPOINT {name}
