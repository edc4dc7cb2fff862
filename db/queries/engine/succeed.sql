-- Ends jobs as succeeded. $1 ids, $2 the lease of each. Answers the numbers of those that counted, from 1 on, in
-- one row: not their ids, as one worker may have the same job twice, under an old lease and a new one.
-- A trigger of the table may change the UPDATE or suppress it. refuse_end raises an error if the row is processing
-- after it all the same; none_kept does if a job did not count and its row is still processing under its lease. So
-- the lease, which ends in the same transaction, is kept, and the job is found when it expires. A job that does not
-- count otherwise was lost before.
WITH ended AS (
  UPDATE {jobs} j
  SET status = 'succeeded', updated_at = now()
  FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS f (id, lease, n)
  WHERE j.id = f.id AND j.status = 'processing' AND j.lease = f.lease
  RETURNING CASE WHEN j.status <> 'processing' THEN f.n ELSE rowrunner.refuse_end(j.id)::bigint END AS n
)
SELECT array_agg(n) AS counted FROM ended
HAVING count(*) = cardinality($1::uuid[]) OR rowrunner.none_kept({table}::regclass, $1, $2)
