-- Ends jobs well. $1 ids, $2 the lease of each. Answers the numbers of those that counted, from 1 on, in
-- one row: not their ids, as one worker may have the same job twice, under an old lease and a new one.
WITH ended AS (
  UPDATE {jobs} j
  SET status = 'succeeded', updated_at = now()
  FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS f (id, lease, n)
  WHERE j.id = f.id AND j.status = 'processing' AND j.lease = f.lease
  RETURNING CASE WHEN j.status <> 'processing' THEN f.n ELSE rowrunner.refuse_end(j.id)::bigint END AS n
), kept AS MATERIALIZED (
  -- Jobs that did not count although they are ours: a trigger suppressed the UPDATE. The lock reads the row as
  -- it is now, since a job that was lost while the UPDATE waited is not one. The join is made only if some
  -- job did not count.
  SELECT j.id
  FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS f (id, lease, n) JOIN {jobs} j ON j.id = f.id
  WHERE (SELECT count(*) FROM ended) < cardinality($1::uuid[])
    AND CASE WHEN j.status = 'processing' AND j.lease = f.lease THEN f.n NOT IN (SELECT n FROM ended) END
  FOR NO KEY UPDATE OF j SKIP LOCKED
)
SELECT array_agg(n) AS counted
FROM (SELECT n FROM ended UNION ALL SELECT rowrunner.refuse_end(k.id)::bigint FROM kept k) counted
