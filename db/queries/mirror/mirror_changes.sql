-- The first $2 notes of kind $1. They are deleted by their numbers: those of transactions that commit later may be
-- smaller than the last one here.
SELECT c.seq, c.job_id, c.public_id FROM rowrunner_mirror.changes c
WHERE c.kind = $1::smallint ORDER BY c.kind, c.seq LIMIT $2::integer
