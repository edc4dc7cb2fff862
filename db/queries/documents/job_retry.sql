-- Queues the failed or cancelled job $1 again: answers how often it has been, 0 if too often, NULL for other jobs.
SELECT public.retry_document($1::uuid)
