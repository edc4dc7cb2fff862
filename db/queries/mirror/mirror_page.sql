-- The next $2 jobs behind id $1, and of each whether it changed within as long as Redis keeps a status.
SELECT j.id, j.updated_at > now() - interval '24 hours'
FROM {jobs} j WHERE j.id > $1::uuid ORDER BY j.id LIMIT $2::integer
