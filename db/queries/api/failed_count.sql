-- How many failures kind $1 has with fingerprint $2 (NULL: any), counted up to $3. Without a fingerprint those are left
-- out that were cancelled where that is called failed ($4), as in operation_next.sql.
SELECT count(*) FROM (SELECT FROM rowrunner.failures f
                      WHERE f.kind = $1::smallint AND ($2::bigint IS NULL OR f.fingerprint = $2::bigint)
                        AND NOT ($2::bigint IS NULL AND $4 = 'failed'
                                 AND coalesce(f.error = 'cancelled' OR f.error LIKE 'cancelled: %', false))
                      LIMIT $3::integer) x
