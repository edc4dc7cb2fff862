-- Pauses ($2 true) or resumes a kind, and answers whether it was paused before. A paused kind takes new jobs, but none
-- is started.
UPDATE rowrunner.kinds k SET paused = $2::boolean
FROM (SELECT b.id, b.paused FROM rowrunner.kinds b WHERE b.kind = $1) before
WHERE k.id = before.id RETURNING before.paused
