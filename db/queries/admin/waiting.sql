-- How many jobs of kind $1 wait. Up to $2 queue entries are compared with their jobs: an entry whose job
-- was deleted or has changed since does not count. If there are more, the entries are counted, up to $3,
-- and the second column says that the number is approximate.
WITH first AS MATERIALIZED (
  SELECT priority, job_id FROM rowrunner.queue
  WHERE kind = $1::smallint ORDER BY kind, priority, seq LIMIT $2::integer + 1
), few AS MATERIALIZED (
  SELECT count(*) <= $2::integer AS yes FROM first
)
SELECT CASE WHEN few.yes
            THEN (SELECT count(DISTINCT j.id)
                  FROM first f CROSS JOIN LATERAL (
                    SELECT id, status, priority, run_at FROM {jobs} WHERE id = f.job_id OFFSET 0) j
                  WHERE j.status = 'queued' AND j.priority = f.priority AND j.run_at <= now())
            ELSE (SELECT count(*) FROM (SELECT FROM rowrunner.queue q
                                        WHERE q.kind = $1::smallint LIMIT $3::integer) x) END,
       NOT few.yes
FROM few
