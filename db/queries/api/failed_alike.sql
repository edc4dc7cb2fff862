-- Up to $5 failed jobs of kind $1 with fingerprint $2, the latest failure first, before the failure ($3, $4) (NULL:
-- all).
SELECT to_json(j.*) AS job, to_char(f.failed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS failed_at,
       f.error
FROM rowrunner.failures f
JOIN {jobs} j ON j.id = f.job_id AND j.status = 'failed'
WHERE f.kind = $1::smallint AND f.fingerprint = $2::bigint
  AND ($3::timestamptz IS NULL OR (f.failed_at, f.job_id) < ($3::timestamptz, $4::uuid))
ORDER BY f.kind DESC, f.fingerprint DESC, f.failed_at DESC, f.job_id DESC
LIMIT $5::integer
