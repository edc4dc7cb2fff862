-- Up to $4 failed jobs of kind $1, the latest failure first, before the failure ($2, $3) (NULL: all).
SELECT to_json(j.*) AS job,
       to_char(f.failed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || f.job_id AS rank,
       f.job_id::text AS cursor
FROM rowrunner.failures f
JOIN {jobs} j ON j.id = f.job_id AND j.status = 'failed'
WHERE f.kind = $1::smallint
  AND ($2::timestamptz IS NULL OR (f.failed_at, f.job_id) < ($2::timestamptz, $3::uuid))
ORDER BY f.failed_at DESC, f.job_id DESC
LIMIT $4::integer
