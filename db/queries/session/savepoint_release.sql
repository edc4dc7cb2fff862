-- The savepoint has served, whether or not it was gone back to.
RELEASE SAVEPOINT {name}
