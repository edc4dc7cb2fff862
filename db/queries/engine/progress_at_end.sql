-- What jobs of kind $1 reported last, in the transaction that ends them and before it does: $2 jobs, $3 leases,
-- $4 done, $5 of, $6 in words.
INSERT INTO rowrunner.progress (kind, job_id, done, total, message)
SELECT $1::smallint, held.id, held.done, held.total, held.message
FROM (SELECT j.id, f.done, f.total, f.message
      FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[])
           AS f (id, lease, done, total, message)
      JOIN {jobs} j ON j.id = f.id
      WHERE j.status = 'processing' AND j.lease = f.lease
      FOR NO KEY UPDATE OF j) held
ON CONFLICT (kind, job_id) DO UPDATE
SET done = excluded.done, total = excluded.total, message = excluded.message, updated_at = now()
