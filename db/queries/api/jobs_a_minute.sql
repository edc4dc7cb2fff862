-- How many jobs of each kind succeeded and failed in each minute of the last hour: 59 is the minute that has begun.
SELECT k.kind, 59 - (EXTRACT(epoch FROM date_trunc('minute', now()) - c.minute) / 60)::integer AS slot,
       sum(c.succeeded), sum(c.failed)
FROM rowrunner.counters c JOIN rowrunner.kinds k ON k.id = c.kind
WHERE c.minute > date_trunc('minute', now()) - interval '60 minutes' AND c.minute <= now()
GROUP BY 1, 2
