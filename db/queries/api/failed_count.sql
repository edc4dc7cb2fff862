-- How many failures kind $1 has with fingerprint $2 (NULL: any), counted up to $3.
SELECT count(*) FROM (SELECT FROM rowrunner.failures f
                      WHERE f.kind = $1::smallint AND ($2::bigint IS NULL OR f.fingerprint = $2::bigint)
                      LIMIT $3::integer) x
