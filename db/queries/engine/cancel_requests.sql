-- Which of the jobs under the leases $1 somebody asked to cancel.
SELECT lease, job_id, reason FROM rowrunner.cancellations WHERE lease = ANY ($1::bigint[])
