-- After a COMMIT whose answer was lost: what has become of the jobs under their leases. $1 ids, $2 leases. A job that
-- is not answered has its lease no more: it was lost, or cleared by a failure (attempts_of_failures tells), a snooze
-- or a release.
SELECT j.id, j.lease, j.status
FROM unnest($1::uuid[], $2::bigint[]) AS f (id, lease)
JOIN {jobs} j ON j.id = f.id AND j.lease = f.lease
