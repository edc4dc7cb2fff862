-- Takes back the jobs of expired leases of kind $1; an error says why one could not be taken back.
SELECT job_id, status, attempts, error FROM rowrunner.rescue($1::smallint)
