-- How many jobs of kind $1 (NULL: of all) have status $2, or are 'delayed', counted up to $3; NULL where no index
-- tells. Entries of the queue are counted, not jobs: those of deleted jobs count until a claim or a sweep meets them.
SELECT CASE $2
  WHEN 'queued' THEN (SELECT count(*) FROM (SELECT FROM rowrunner.queue q
                                            WHERE $1::smallint IS NULL OR q.kind = $1::smallint LIMIT $3::integer) x)
  WHEN 'delayed' THEN (SELECT count(*) FROM (SELECT FROM rowrunner.delayed d
                                             WHERE $1::smallint IS NULL OR d.kind = $1::smallint LIMIT $3::integer) x)
  WHEN 'failed' THEN (SELECT count(*) FROM (SELECT FROM rowrunner.failures f
                                            WHERE $1::smallint IS NULL OR f.kind = $1::smallint LIMIT $3::integer) x)
  WHEN 'processing' THEN (SELECT coalesce(sum(cardinality(l.job_ids)), 0)::bigint FROM rowrunner.leases l
                          WHERE $1::smallint IS NULL OR l.kind = $1::smallint)
END
