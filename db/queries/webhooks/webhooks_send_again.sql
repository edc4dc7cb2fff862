-- Sends up to $3 deliveries again that were given up, the oldest failure first; of receiver $1 and source $2 alone,
-- unless NULL. Says how many.
WITH oldest AS MATERIALIZED (
  SELECT f.job_id
  FROM rowrunner.kinds k
  JOIN rowrunner.failures f ON f.kind = k.id
  JOIN public.webhook_deliveries d ON d.id = f.job_id AND d.status = 'failed'
  WHERE k.kind = 'webhook_delivery' AND ($1::text IS NULL OR d.url = $1) AND ($2::text IS NULL OR d.source = $2)
  ORDER BY f.kind, f.failed_at, f.job_id LIMIT $3::integer
)
SELECT count(*) FILTER (WHERE public.send_webhook_again(o.job_id)) FROM oldest o
