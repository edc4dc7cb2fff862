-- The public ids of the first $2 jobs in the queue of kind $1, in the order in which they are claimed, as one JSON array.
SELECT json_agg({public_id} ORDER BY q.priority, q.seq)
FROM (SELECT * FROM rowrunner.queue x WHERE x.kind = $1::smallint ORDER BY x.kind, x.priority, x.seq
      LIMIT $2::integer) q
CROSS JOIN LATERAL (SELECT * FROM {jobs} x WHERE x.id = q.job_id OFFSET 0) j
WHERE j.status = 'queued'
