-- How many workers of each kind are alive.
SELECT k.kind, (SELECT count(*) FROM rowrunner.live_workers w WHERE k.kind = ANY (w.kinds))
FROM rowrunner.kinds k
