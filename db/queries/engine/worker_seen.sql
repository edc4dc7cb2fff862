-- The worker $1, serving the kinds $2 with version $3, is alive; $4 are the kinds of which it can claim nothing, each
-- with the error.
INSERT INTO rowrunner.workers (worker, kinds, version, problems) VALUES ($1, $2::text[], $3, $4::jsonb)
ON CONFLICT (worker) DO UPDATE
SET seen_at = now(), kinds = excluded.kinds, version = excluded.version, problems = excluded.problems
