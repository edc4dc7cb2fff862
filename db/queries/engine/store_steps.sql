-- Stores results of steps of kind $1, each once and under the lease of its job: $2 jobs, $3 leases, $4 steps,
-- $5 results. Answers by number, from 1 on, which are 'held' by their lease and which are 'locked' by another
-- session and must be tried again; what is not answered has lost its lease. 'stored' are those that did not
-- exist: by job and step, since INSERT cannot answer the number. The lock keeps a rescue from slipping in
-- between the check and the commit; it is not FOR SHARE, as two effects that update the row would deadlock.
WITH given AS MATERIALIZED (
  SELECT f.id, f.lease, f.step, f.result, f.n
  FROM unnest($2::uuid[], $3::bigint[], $4::text[], $5::text[]) WITH ORDINALITY AS f (id, lease, step, result, n)
), held AS MATERIALIZED (
  SELECT g.n, j.id, g.step, g.result
  FROM given g JOIN {jobs} j ON j.id = g.id
  WHERE j.status = 'processing' AND j.lease = g.lease
  FOR NO KEY UPDATE OF j SKIP LOCKED
), stored AS (
  INSERT INTO rowrunner.steps (kind, job_id, step, result)
  SELECT $1::smallint, h.id, h.step, h.result::jsonb FROM held h
  ON CONFLICT (kind, job_id, step) DO NOTHING
  RETURNING job_id, step
)
SELECT h.n, 'held' AS answer, NULL::uuid AS job_id, NULL AS step FROM held h
UNION ALL
SELECT NULL, 'stored', s.job_id, s.step FROM stored s
UNION ALL
SELECT g.n, 'locked', NULL, NULL
FROM given g JOIN {jobs} j ON j.id = g.id
WHERE (SELECT count(*) FROM held) < cardinality($2::uuid[])
  AND j.status = 'processing' AND j.lease = g.lease
  AND NOT EXISTS (SELECT FROM held h WHERE h.n = g.n)
