-- Ends running jobs as cancelled. $1 ids, $2 leases, $3 reasons, $4 the word for cancelled.
UPDATE {jobs} j
SET status = $4, last_error = f.reason, updated_at = now()
FROM unnest($1::uuid[], $2::bigint[], $3::text[]) AS f (id, lease, reason)
WHERE j.id = f.id AND j.status = 'processing' AND j.lease = f.lease
RETURNING j.id, f.lease
