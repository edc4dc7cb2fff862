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

-- Removes what nobody reads again, one caller at a time. The newest plan of a key is kept for a day: the next one
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
