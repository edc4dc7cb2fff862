-- How many workers of each kind have reported in the last 30 seconds.
SELECT k.kind, (SELECT count(*) FROM rowrunner.workers w
                WHERE k.kind = ANY (w.kinds) AND w.seen_at > now() - interval '30 seconds')
FROM rowrunner.kinds k
