-- Queues up to $2 failed jobs of kind $1 again, the oldest failure first.
SELECT rowrunner.requeue_failed($1, $2::integer)
