-- Jobs of kind $1 without an entry, and entries whose job is gone or has moved on. At most 10,000 pages of the table
-- are read, drawn at random, and 10,000 entries of each list. A few stale entries are as it should be: a claim or a
-- sweep removes them.
WITH mine AS MATERIALIZED (
  SELECT k.id, k.kind, k.job_table,
         least(100, 100.0 * 10000 * current_setting('block_size')::bigint
                    / greatest(pg_relation_size(k.job_table), 1))::real AS percent
  FROM rowrunner.kinds k JOIN pg_class c ON c.oid = k.job_table WHERE k.kind = $1
), lacking AS MATERIALIZED (
  SELECT count(*) AS jobs, count(*) FILTER (WHERE j.status = 'queued') AS queued,
         count(*) FILTER (WHERE j.status = 'failed') AS failed,
         count(*) FILTER (WHERE j.status = 'processing') AS processing
  FROM mine m CROSS JOIN LATERAL rowrunner.jobs_without_entry(m.id, m.percent) j
), entry AS MATERIALIZED (
  (SELECT q.job_id, 'queued' AS status, q.priority FROM rowrunner.queue q JOIN mine m ON m.id = q.kind LIMIT 10000)
  UNION ALL
  (SELECT d.job_id, 'queued', d.priority FROM rowrunner.delayed d JOIN mine m ON m.id = d.kind LIMIT 10000)
  UNION ALL
  (SELECT f.job_id, 'failed', NULL FROM rowrunner.failures f JOIN mine m ON m.id = f.kind LIMIT 10000)
), job AS MATERIALIZED (
  SELECT j.id, j.status, j.priority
  FROM mine m CROSS JOIN LATERAL rowrunner.jobs_among(m.job_table, ARRAY(SELECT e.job_id FROM entry e)) j
), stale AS MATERIALIZED (
  SELECT count(*) AS entries FROM entry e
  WHERE NOT EXISTS (SELECT FROM job j WHERE j.id = e.job_id AND j.status = e.status
                      AND coalesce(e.priority, j.priority) = j.priority)
)
SELECT m.kind, format('%s jobs have no entry and do not run (%s queued, %s failed, %s processing)%s',
                      l.jobs, l.queued, l.failed, l.processing,
                      CASE WHEN m.percent < 100 THEN format(', on %s %% of the pages', m.percent) ELSE '' END),
       format('rowrunner kinds repair %s, or rowrunner doctor --fix', m.kind)
FROM mine m, lacking l WHERE l.jobs > 0
UNION ALL
SELECT m.kind, format('%s entries have no job, or one that has moved on', s.entries),
       format('rowrunner kinds repair %s, or rowrunner doctor --fix', m.kind)
FROM mine m, stale s WHERE s.entries > 100
