-- What there is of the keys in $1 (a JSON array of texts): the clock, blocks that bind, plans of this second and later;
-- and of keys that have no plan for the epoch $2, what one is made of: the newest plan before it and the replicas that
-- were seen within three seconds.
WITH asked AS MATERIALIZED (
  SELECT k.key, EXISTS (SELECT FROM rowrunner_limits.plans p WHERE p.key = k.key AND p.epoch = $2::bigint) AS planned
  FROM jsonb_array_elements_text($1::jsonb) AS k (key)
)
SELECT 'clock' AS what, '' AS key, extract(epoch FROM clock_timestamp())::text AS value
UNION ALL
SELECT 'block', a.key, extract(epoch FROM max(b.blocked_until))::text
FROM asked a JOIN rowrunner_limits.blocks b USING (key)
WHERE b.blocked_until > clock_timestamp() GROUP BY a.key
UNION ALL
SELECT 'plan', a.key, p.plan::text
FROM asked a JOIN rowrunner_limits.plans p USING (key)
WHERE p.epoch >= floor(extract(epoch FROM clock_timestamp()))::bigint
UNION ALL
SELECT 'before', a.key, p.plan::text
FROM asked a CROSS JOIN LATERAL (
  SELECT o.plan FROM rowrunner_limits.plans o WHERE o.key = a.key AND o.epoch < $2::bigint
  ORDER BY o.epoch DESC LIMIT 1) p
WHERE NOT a.planned
UNION ALL
SELECT 'member', a.key, m.report::text
FROM asked a JOIN rowrunner_limits.members m USING (key)
WHERE NOT a.planned AND m.seen_at > clock_timestamp() - interval '3 seconds'
