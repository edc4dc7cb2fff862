-- Ends jobs well. $1 ids, $2 the lease of each. Answers id and lease of those that counted: one worker
-- may have the same job twice, under an old lease and a new one.
UPDATE {jobs} j
SET status = 'succeeded', updated_at = now()
FROM unnest($1::uuid[], $2::bigint[]) AS f (id, lease)
WHERE j.id = f.id AND j.status = 'processing' AND j.lease = f.lease
RETURNING j.id, f.lease
