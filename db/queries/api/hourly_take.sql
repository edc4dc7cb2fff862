-- Counts a call of user $1 to endpoint $2 if it is one of the $3 of this clock hour (UTC): whether it is, and the
-- seconds until the next hour. A call that waited for the row since the hour before counts for the newer one.
WITH this AS (
  SELECT date_trunc('hour', now(), 'UTC') AS hour
), taken AS (
  INSERT INTO rowrunner.call_counts AS c (user_id, endpoint, hour, calls)
  SELECT $1::text, $2::text, t.hour, 1 FROM this t
  ON CONFLICT (user_id, endpoint) DO UPDATE
  SET hour = greatest(c.hour, excluded.hour),
      calls = CASE WHEN c.hour < excluded.hour THEN 1 ELSE c.calls + 1 END
  WHERE c.hour < excluded.hour OR c.calls < $3::integer
  RETURNING c.calls
)
SELECT EXISTS (SELECT FROM taken),
       greatest(1, ceil(extract(epoch FROM t.hour + interval '1 hour' - now())))::integer
FROM this t
