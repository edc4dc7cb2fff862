-- The first $1 document jobs of the queue, in the order in which they are claimed.
SELECT j.job_id
FROM (SELECT q.job_id, q.priority, q.seq FROM rowrunner.queue q
      WHERE q.kind = (SELECT k.id FROM rowrunner.kinds k WHERE k.kind = 'document')
      ORDER BY q.kind, q.priority, q.seq LIMIT $1::integer) q
JOIN public.document_jobs j ON j.id = q.job_id
ORDER BY q.priority, q.seq
