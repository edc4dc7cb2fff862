-- The kinds of which jobs that waited for others may be ready, by id and name; 0 if parents ended with an old snapshot,
-- so that edges to them may be left. Asked only if a poll says that there are any.
SELECT j.id, coalesce(k.kind, '') FROM rowrunner.kinds_to_fire() j (id) LEFT JOIN rowrunner.kinds k ON k.id = j.id
