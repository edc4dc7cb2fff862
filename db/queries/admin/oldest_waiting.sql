-- For how many seconds the job of kind $1 that waits longest has been due, among the first entries of
-- each priority: older ones are before younger ones there. With very many priorities it looks at fewer
-- entries of each, about 20000 in all. NULL if none waits.
WITH RECURSIVE level AS (
  (SELECT priority FROM rowrunner.queue WHERE kind = $1::smallint ORDER BY kind, priority LIMIT 1)
  UNION ALL
  SELECT further.priority
  FROM level CROSS JOIN LATERAL (
    SELECT q.priority FROM rowrunner.queue q
    WHERE q.kind = $1::smallint AND q.priority > level.priority
    ORDER BY q.kind, q.priority LIMIT 1) further
), entries AS MATERIALIZED (
  SELECT greatest(1, least(20, 20000 / greatest(1, count(*)))) AS of_each FROM level
)
SELECT EXTRACT(epoch FROM now() - min(j.run_at))
FROM level
CROSS JOIN LATERAL (
  SELECT q.job_id, q.priority FROM rowrunner.queue q
  WHERE q.kind = $1::smallint AND q.priority = level.priority
  ORDER BY q.kind, q.priority, q.seq LIMIT (SELECT of_each FROM entries)) first
CROSS JOIN LATERAL (
  SELECT status, priority, run_at FROM {jobs} WHERE id = first.job_id OFFSET 0) j
WHERE j.status = 'queued' AND j.priority = first.priority AND j.run_at <= now()
  AND j.run_at > '-infinity'
