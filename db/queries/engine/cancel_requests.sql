-- The jobs under the leases $1 whose cancel was requested.
SELECT lease, job_id, reason FROM rowrunner.cancellations WHERE lease = ANY ($1::bigint[])
