-- Ends jobs well. $1 ids, $2 the lease of each. Answers the numbers of those that counted, from 1 on, in
-- one row: not their ids, as one worker may have the same job twice, under an old lease and a new one.
WITH ended AS (
  UPDATE {jobs} j
  SET status = 'succeeded', updated_at = now()
  FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS f (id, lease, n)
  WHERE j.id = f.id AND j.status = 'processing' AND j.lease = f.lease
  RETURNING f.n
)
SELECT array_agg(n) AS counted FROM ended
