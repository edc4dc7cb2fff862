-- What pages, commands and programs ask about a key. One row for any key; rate is null for one that was not used for a
-- day. wanted, in_flight, sent and rejected are sums over the processes that reported within three seconds; sent and
-- rejected are of the last five full seconds. waits_for says why calls wait now: 'retry-after', 'plan' (there is none
-- for this second), 'concurrency' or 'rate'; null if nothing makes them wait.
CREATE OR REPLACE FUNCTION rowrunner_limits.state(asked_key text)
RETURNS TABLE (rate double precision, planned_at timestamptz, processes integer, wanted integer, in_flight integer,
  sent integer, rejected integer, blocked_until timestamptz, waits_for text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  WITH this AS (
    SELECT clock_timestamp() AS moment, floor(extract(epoch FROM clock_timestamp()))::bigint AS epoch
  ), newest AS (
    SELECT p.epoch, (p.plan #>> '{rate,rate}')::double precision AS rate,
      (SELECT sum((s ->> 2)::integer) FROM jsonb_array_elements(p.plan -> 'shares') AS s)::integer AS concurrency
    FROM this, rowrunner_limits.plans p
    WHERE p.key = asked_key AND p.epoch <= this.epoch
    ORDER BY p.epoch DESC LIMIT 1
  ), members AS (
    SELECT m.report FROM this, rowrunner_limits.members m
    WHERE m.key = asked_key AND m.seen_at > this.moment - interval '3 seconds'
  ), fleet AS (
    SELECT count(*)::integer AS processes, coalesce(sum((report ->> 'want')::integer), 0)::integer AS wanted,
      coalesce(sum((report ->> 'in_flight')::integer), 0)::integer AS in_flight
    FROM members
  ), calls AS (
    SELECT coalesce(sum((c ->> 1)::integer), 0)::integer AS sent,
      coalesce(sum((c ->> 2)::integer), 0)::integer AS rejected
    FROM this, members, jsonb_array_elements(report -> 'counts') AS c
    WHERE (c ->> 0)::bigint BETWEEN this.epoch - 5 AND this.epoch - 1
  ), block AS (
    SELECT max(b.blocked_until) AS blocked_until FROM this, rowrunner_limits.blocks b
    WHERE b.key = asked_key AND b.blocked_until > this.moment
  )
  SELECT newest.rate, to_timestamp(newest.epoch), fleet.processes, fleet.wanted, fleet.in_flight, calls.sent,
    calls.rejected, block.blocked_until,
    CASE
      WHEN fleet.wanted = 0 THEN NULL
      WHEN block.blocked_until IS NOT NULL THEN 'retry-after'
      WHEN newest.epoch IS DISTINCT FROM this.epoch THEN 'plan'
      WHEN fleet.in_flight >= newest.concurrency THEN 'concurrency'
      WHEN fleet.wanted > newest.rate THEN 'rate'
    END
  FROM this CROSS JOIN fleet CROSS JOIN calls CROSS JOIN block LEFT JOIN newest ON true
$$;
