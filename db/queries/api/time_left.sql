-- How many seconds job $2 of kind $1 needs until its end if it goes on as it has since it was claimed.
SELECT greatest(0, EXTRACT(epoch FROM p.updated_at - j.locked_at) * (p.total - p.done) / p.done
                   - EXTRACT(epoch FROM now() - p.updated_at))::float8
FROM {jobs} j JOIN rowrunner.progress p ON p.kind = $1::smallint AND p.job_id = j.id
WHERE j.id = $2::uuid AND j.status = 'processing' AND p.done > 0 AND p.total >= p.done AND p.updated_at > j.locked_at
