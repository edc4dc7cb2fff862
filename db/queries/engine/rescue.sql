-- Takes back the jobs of expired leases of kind $1; an error says why one could not be taken back, and a row
-- without a job that leases were put off because other sessions have locked their jobs.
SELECT job_id, status, attempts, error, cancelled FROM rowrunner.rescue($1::smallint, say_locked => true)
