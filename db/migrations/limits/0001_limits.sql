-- Limits of services outside that all replicas share. Each replica writes its own row of members; plans are
-- immutable, one for each key and second of the database's clock, and the first writer wins; a block binds everybody.
CREATE SCHEMA rowrunner_limits;

-- What a replica says about itself. Nothing is lost with it but a second, so it needs no WAL.
CREATE UNLOGGED TABLE rowrunner_limits.members (
  key     text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 200),
  replica text NOT NULL CHECK (char_length(replica) BETWEEN 1 AND 200),
  report  jsonb NOT NULL,
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (key, replica)
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE rowrunner_limits.plans (
  key   text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 200),
  epoch bigint NOT NULL,
  plan  jsonb NOT NULL,
  PRIMARY KEY (key, epoch)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE rowrunner_limits.blocks (
  id            bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  key           text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 200),
  blocked_until timestamptz NOT NULL,
  replica       text NOT NULL CHECK (char_length(replica) BETWEEN 1 AND 200),
  created_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX blocks_of_key ON rowrunner_limits.blocks (key, blocked_until);

-- Stores the plans that are missing, {key, epoch, plan} each, and gives the stored ones, which may be another's. The
-- second statement has a snapshot of its own: it sees what another transaction stored while the first one waited.
CREATE FUNCTION rowrunner_limits.propose(proposals jsonb)
RETURNS TABLE (key text, epoch bigint, plan jsonb)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO rowrunner_limits.plans
    SELECT p.key, p.epoch, p.plan
    FROM jsonb_to_recordset(proposals) AS p (key text, epoch bigint, plan jsonb)
    ORDER BY p.key, p.epoch
    ON CONFLICT DO NOTHING;
  RETURN QUERY
    SELECT s.key, s.epoch, s.plan
    FROM jsonb_to_recordset(proposals) AS p (key text, epoch bigint)
    JOIN rowrunner_limits.plans s ON s.key = p.key AND s.epoch = p.epoch;
END
$$;

-- Removes rows that are not read again, one caller at a time. The newest plan of a key is kept for a day: the next one
-- begins with what was learned.
CREATE FUNCTION rowrunner_limits.clean_up() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  this_second CONSTANT bigint := floor(extract(epoch FROM clock_timestamp()))::bigint;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('rowrunner_limits.clean_up', 0)) THEN
    RETURN;
  END IF;
  DELETE FROM rowrunner_limits.members m WHERE m.seen_at < clock_timestamp() - interval '1 minute';
  DELETE FROM rowrunner_limits.blocks b WHERE b.blocked_until < clock_timestamp() - interval '1 minute';
  DELETE FROM rowrunner_limits.plans p
  WHERE p.epoch < this_second - 86400
     OR (p.epoch < this_second - 60
         AND EXISTS (SELECT FROM rowrunner_limits.plans n WHERE n.key = p.key AND n.epoch > p.epoch));
END
$$;

-- What pages, commands and programs ask about a key. One row for any key; rate is null for one that was not used for a
-- day. wanted, in_flight, sent and rejected are sums over the processes that reported within three seconds; sent and
-- rejected are of the last five full seconds. waits_for says why calls wait now: 'retry-after', 'plan' (there is none
-- for this second), 'concurrency' or 'rate'; null if nothing makes them wait.
CREATE FUNCTION rowrunner_limits.state(asked_key text)
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
