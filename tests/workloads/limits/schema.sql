-- What db/migrations/limits makes of an empty database; written by scripts/dump-schema.
CREATE SCHEMA rowrunner_limits;
CREATE FUNCTION rowrunner_limits.clean_up() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION rowrunner_limits.propose(proposals jsonb) RETURNS TABLE(key text, epoch bigint, plan jsonb)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION rowrunner_limits.state(asked_key text) RETURNS TABLE(rate double precision, planned_at timestamp with time zone, processes integer, wanted integer, in_flight integer, sent integer, rejected integer, blocked_until timestamp with time zone, waits_for text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE TABLE rowrunner_limits.blocks (
    id bigint NOT NULL,
    key text NOT NULL,
    blocked_until timestamp with time zone NOT NULL,
    replica text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT blocks_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 200))),
    CONSTRAINT blocks_replica_check CHECK (((char_length(replica) >= 1) AND (char_length(replica) <= 200)))
);
ALTER TABLE rowrunner_limits.blocks ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME rowrunner_limits.blocks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE UNLOGGED TABLE rowrunner_limits.members (
    key text NOT NULL,
    replica text NOT NULL,
    report jsonb NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    CONSTRAINT members_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 200))),
    CONSTRAINT members_replica_check CHECK (((char_length(replica) >= 1) AND (char_length(replica) <= 200)))
)
WITH (fillfactor='40', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');
CREATE TABLE rowrunner_limits.plans (
    key text NOT NULL,
    epoch bigint NOT NULL,
    plan jsonb NOT NULL,
    CONSTRAINT plans_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 200)))
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');
ALTER TABLE ONLY rowrunner_limits.blocks
    ADD CONSTRAINT blocks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY rowrunner_limits.members
    ADD CONSTRAINT members_pkey PRIMARY KEY (key, replica);
ALTER TABLE ONLY rowrunner_limits.plans
    ADD CONSTRAINT plans_pkey PRIMARY KEY (key, epoch);
CREATE INDEX blocks_of_key ON rowrunner_limits.blocks USING btree (key, blocked_until);
GRANT USAGE ON SCHEMA rowrunner_limits TO rowrunner_worker;
GRANT USAGE ON SCHEMA rowrunner_limits TO rowrunner_app;
REVOKE ALL ON FUNCTION rowrunner_limits.clean_up() FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner_limits.clean_up() TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner_limits.propose(proposals jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner_limits.propose(proposals jsonb) TO rowrunner_worker;
REVOKE ALL ON FUNCTION rowrunner_limits.state(asked_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner_limits.state(asked_key text) TO rowrunner_worker;
GRANT ALL ON FUNCTION rowrunner_limits.state(asked_key text) TO rowrunner_app;
GRANT SELECT ON TABLE rowrunner_limits.blocks TO rowrunner_app;
GRANT SELECT,INSERT,DELETE ON TABLE rowrunner_limits.blocks TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner_limits.members TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rowrunner_limits.members TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner_limits.plans TO rowrunner_app;
GRANT SELECT,INSERT,DELETE ON TABLE rowrunner_limits.plans TO rowrunner_worker;
