-- As enqueue_many, for jobs that are probably all new: a key that exists is an error. PostgreSQL writes a
-- row that may conflict in two steps, and this one does not have to.
INSERT INTO {jobs} ({columns})
SELECT {values} FROM ROWS FROM ({arrays}) AS given ({columns})
