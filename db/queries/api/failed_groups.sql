-- The failures of kind $1 by fingerprint, up to $2 groups: how many (counted up to $3), the first and the last one. It
-- steps from one fingerprint to the next in the index, so that the number of failures does not matter.
WITH RECURSIVE step AS (
  (SELECT f.fingerprint FROM rowrunner.failures f WHERE f.kind = $1::smallint
   ORDER BY f.kind, f.fingerprint LIMIT 1)
  UNION ALL
  SELECT further.fingerprint
  FROM step CROSS JOIN LATERAL (
    SELECT f.fingerprint FROM rowrunner.failures f
    WHERE f.kind = $1::smallint AND f.fingerprint > step.fingerprint ORDER BY f.kind, f.fingerprint LIMIT 1) further
), alike AS MATERIALIZED (
  SELECT fingerprint FROM step LIMIT $2::integer
)
SELECT a.fingerprint::text,
       (SELECT count(*) FROM (SELECT FROM rowrunner.failures f
                              WHERE f.kind = $1::smallint AND f.fingerprint = a.fingerprint LIMIT $3::integer) x),
       to_char(first.failed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       to_char(last.failed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), last.job_id, left(last.error, 500)
FROM alike a
CROSS JOIN LATERAL (
  SELECT f.failed_at FROM rowrunner.failures f WHERE f.kind = $1::smallint AND f.fingerprint = a.fingerprint
  ORDER BY f.kind, f.fingerprint, f.failed_at, f.job_id LIMIT 1) first
CROSS JOIN LATERAL (
  SELECT f.failed_at, f.job_id, f.error FROM rowrunner.failures f
  WHERE f.kind = $1::smallint AND f.fingerprint = a.fingerprint
  ORDER BY f.kind DESC, f.fingerprint DESC, f.failed_at DESC, f.job_id DESC LIMIT 1) last
