-- After a COMMIT whose answer was lost: what has become of the jobs under their leases. $1 ids,
-- $2 leases. The lease of a job that is not answered is lost.
SELECT j.id, j.lease, j.status
FROM unnest($1::uuid[], $2::bigint[]) AS f (id, lease)
JOIN {jobs} j ON j.id = f.id AND j.lease = f.lease
