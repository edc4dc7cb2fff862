-- How many workers of each kind are alive, and how many of them can claim nothing of it.
SELECT k.kind, count(w.worker), count(w.worker) FILTER (WHERE w.problems ? k.kind)
FROM rowrunner.kinds k LEFT JOIN rowrunner.live_workers w ON k.kind = ANY (w.kinds)
GROUP BY k.kind
