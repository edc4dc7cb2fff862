-- For how many seconds the job of kind $1 that waits longest has been due, among the first places of
-- each priority: older ones stand before younger ones there. NULL if none waits.
WITH RECURSIVE level AS (
  (SELECT priority FROM rowrunner.queue WHERE kind = $1::smallint ORDER BY kind, priority LIMIT 1)
  UNION ALL
  SELECT further.priority
  FROM level CROSS JOIN LATERAL (
    SELECT q.priority FROM rowrunner.queue q
    WHERE q.kind = $1::smallint AND q.priority > level.priority
    ORDER BY q.kind, q.priority LIMIT 1) further
)
SELECT EXTRACT(epoch FROM now() - min(j.run_at))
FROM level
CROSS JOIN LATERAL (
  SELECT q.job_id, q.priority FROM rowrunner.queue q
  WHERE q.kind = $1::smallint AND q.priority = level.priority
  ORDER BY q.kind, q.priority, q.seq LIMIT 20) first
JOIN {jobs} j ON j.id = first.job_id AND j.status = 'queued' AND j.priority = first.priority
             AND j.run_at <= now() AND j.run_at > '-infinity'
