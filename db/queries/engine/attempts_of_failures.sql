-- After a COMMIT whose answer was lost: which failures were written. A failed job no longer has the lease of its
-- attempt, but each charged attempt is kept. $1 the kind, $2 ids, $3 leases, $4 the number of each attempt,
-- $5 errors, $6 this worker. A rescue of the same attempt, which names this worker too, has another error.
SELECT f.id, f.lease
FROM unnest($2::uuid[], $3::bigint[], $4::integer[], $5::text[]) AS f (id, lease, attempt, error)
WHERE EXISTS (SELECT FROM rowrunner.attempts a
              WHERE a.kind = $1::smallint AND a.job_id = f.id AND a.attempt = f.attempt
                AND a.worker = $6 AND a.error = f.error)
