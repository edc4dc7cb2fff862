-- The worker $1, serving the kinds $2 with version $3, is alive.
INSERT INTO rowrunner.workers (worker, kinds, version) VALUES ($1, $2::text[], $3)
ON CONFLICT (worker) DO UPDATE SET seen_at = now()
