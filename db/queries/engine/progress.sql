-- How far running jobs of kind $1 have come: $2 jobs, $3 leases, $4 done, $5 of, $6 in words. Answers by number,
-- from 1 on, which are 'written' and which are 'locked' by another session; what is not answered has lost its
-- lease. It never waits for a row, so that an end is never behind it.
WITH given AS MATERIALIZED (
  SELECT f.id, f.lease, f.done, f.total, f.message, f.n
  FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[]) WITH ORDINALITY
       AS f (id, lease, done, total, message, n)
), held AS MATERIALIZED (
  SELECT g.n, j.id, g.done, g.total, g.message
  FROM given g JOIN {jobs} j ON j.id = g.id
  WHERE j.status = 'processing' AND j.lease = g.lease
  FOR NO KEY UPDATE OF j SKIP LOCKED
), written AS (
  INSERT INTO rowrunner.progress (kind, job_id, done, total, message)
  SELECT $1::smallint, h.id, h.done, h.total, h.message FROM held h
  ON CONFLICT (kind, job_id) DO UPDATE
  SET done = excluded.done, total = excluded.total, message = excluded.message, updated_at = now()
)
SELECT h.n, 'written' AS answer FROM held h
UNION ALL
SELECT g.n, 'locked'
FROM given g JOIN {jobs} j ON j.id = g.id
WHERE (SELECT count(*) FROM held) < cardinality($2::uuid[])
  AND j.status = 'processing' AND j.lease = g.lease
  AND NOT EXISTS (SELECT FROM held h WHERE h.n = g.n)
