-- The next $6 failures of kind $1 with fingerprint $2 (NULL: any) up to $3, behind ($4, $5). Without a fingerprint
-- those are left out that were cancelled where that is called failed ($7).
SELECT f.job_id, f.failed_at
FROM rowrunner.failures f
WHERE f.kind = $1::smallint AND ($2::bigint IS NULL OR f.fingerprint = $2::bigint)
  AND f.failed_at <= $3::timestamptz AND (f.failed_at, f.job_id) > ($4::timestamptz, $5::uuid)
  AND NOT ($2::bigint IS NULL AND $7 = 'failed'
           AND coalesce(f.error = 'cancelled' OR f.error LIKE 'cancelled: %', false))
ORDER BY f.failed_at, f.job_id LIMIT $6::integer
