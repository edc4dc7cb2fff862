-- Takes back the jobs of expired leases of kind $1.
SELECT job_id, status, attempts FROM rowrunner.rescue($1::smallint)
