-- What this replica says of its keys ($2, {key, report} each) and the blocks that it was asked for ($3, {key, until}
-- each, in seconds since 1970). Gives the clock, blocks that bind and plans of this second and later.
WITH said AS (
  INSERT INTO rowrunner_limits.members (key, replica, report, seen_at)
  SELECT r.key, $1, r.report, clock_timestamp()
  FROM jsonb_to_recordset($2::jsonb) AS r (key text, report jsonb)
  ON CONFLICT (key, replica) DO UPDATE SET report = excluded.report, seen_at = excluded.seen_at
), blocked AS (
  INSERT INTO rowrunner_limits.blocks (key, blocked_until, replica)
  SELECT b.key, to_timestamp(b.until), $1 FROM jsonb_to_recordset($3::jsonb) AS b (key text, until double precision)
), asked AS MATERIALIZED (
  SELECT r.key FROM jsonb_to_recordset($2::jsonb) AS r (key text)
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
