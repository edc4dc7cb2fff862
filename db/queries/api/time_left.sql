-- How many seconds job $2 of kind $1 needs until its end if it goes on as it has since it was claimed. What earlier runs
-- stored as numbered steps is done, but not by this one (as in watched_jobs); until this run has done something, the
-- answer is empty.
SELECT greatest(0, EXTRACT(epoch FROM p.updated_at - j.locked_at) * (p.total - p.done) / (p.done - e.earlier)
                   - EXTRACT(epoch FROM now() - p.updated_at))::float8
FROM {jobs} j JOIN rowrunner.progress p ON p.kind = $1::smallint AND p.job_id = j.id
CROSS JOIN LATERAL (SELECT count(*) AS earlier FROM rowrunner.steps s
                    WHERE s.kind = $1::smallint AND s.job_id = j.id AND s.created_at < j.locked_at
                      AND s.step ~ '[0-9]$' AND s.step !~ '-failed-') e
WHERE j.id = $2::uuid AND j.status = 'processing' AND p.done > e.earlier AND p.total >= p.done
  AND p.updated_at > j.locked_at
