-- The statuses of jobs in Redis. The mirror projects committed rows, so here is only what tells it which rows have
-- changed: a note in the transaction of the change, however that was made.
--
-- It has a schema and a role of its own. The engine knows nothing of it, and a kind that is not mirrored has neither
-- these triggers nor their cost.

CREATE SCHEMA rowrunner_mirror;

-- The kinds whose table has the triggers.
CREATE TABLE rowrunner_mirror.kinds (
  kind        smallint PRIMARY KEY REFERENCES rowrunner.kinds ON DELETE CASCADE,
  -- Changes are noted until then. A mirror that runs moves it on; without one the notes end after as long as Redis
  -- keeps a status, and so do not grow for ever.
  noted_until timestamptz NOT NULL DEFAULT '-infinity',
  -- Another one each time that notes begin: a Redis that has not seen it must be given all statuses.
  epoch       uuid NOT NULL DEFAULT gen_random_uuid()
);

-- A change of a job that Redis may not have yet. A note is deleted when Redis has the state that came with it, or a
-- later one.
CREATE TABLE rowrunner_mirror.changes (
  kind      smallint NOT NULL,
  seq       bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  job_id    uuid NOT NULL,
  -- Of a job that was deleted, as nothing else tells its keys then.
  public_id text,
  PRIMARY KEY (kind, seq)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- One process does the work at a time; the others take over when it is gone. That saves work and is needed for nothing
-- else: what two at once write is told apart by versions.
CREATE TABLE rowrunner_mirror.holder (
  only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  holder     uuid,
  held_until timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);
INSERT INTO rowrunner_mirror.holder DEFAULT VALUES;

-- AFTER INSERT, UPDATE and DELETE, once per statement. Arguments: kind id, column of the public id. It runs as
-- rowrunner_mirror, so no value is touched whose type the owner of the job table may have made.
CREATE FUNCTION rowrunner_mirror.note_changes() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM rowrunner_mirror.kinds k
                 WHERE k.kind = TG_ARGV[0]::smallint AND k.noted_until > now()) THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'DELETE' THEN
    EXECUTE format('INSERT INTO rowrunner_mirror.changes (kind, job_id, public_id)'
                   ' SELECT $1, c.id, c.%1$I FROM changed c'
                   ' WHERE pg_typeof(c.id) = ''uuid''::regtype AND pg_typeof(c.%1$I) = ''text''::regtype',
                   TG_ARGV[1]) USING TG_ARGV[0]::smallint;
  ELSE
    INSERT INTO rowrunner_mirror.changes (kind, job_id)
      SELECT TG_ARGV[0]::smallint, c.id FROM changed c WHERE pg_typeof(c.id) = 'uuid'::regtype;
  END IF;
  RETURN NULL;
END
$$;

-- Mirrors a kind from now on; again, it does nothing. For the owner of the job table, who may be the role that migrates.
CREATE FUNCTION rowrunner_mirror.enable(kind text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mine rowrunner.kinds := rowrunner.kind_named(enable.kind);
  event text;
BEGIN
  IF mine.public_id_column IS NULL THEN
    RAISE EXCEPTION 'kind % has no public id, by which its statuses would be found', enable.kind
      USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = format('SELECT rowrunner.attach(%L, kind => %L, public_id => ''COLUMN'')', mine.job_table, mine.kind);
  END IF;
  IF EXISTS (SELECT FROM rowrunner_mirror.kinds k WHERE k.kind = mine.id) THEN
    RETURN;
  END IF;
  FOREACH event IN ARRAY ARRAY['INSERT', 'UPDATE', 'DELETE'] LOOP
    EXECUTE format('CREATE TRIGGER rowrunner_mirror_%s AFTER %s ON %s REFERENCING %s TABLE AS changed'
                   ' FOR EACH STATEMENT EXECUTE FUNCTION rowrunner_mirror.note_changes(%L, %L)',
                   lower(event), event, mine.job_table, CASE event WHEN 'DELETE' THEN 'OLD' ELSE 'NEW' END,
                   mine.id, mine.public_id_column);
  END LOOP;
  INSERT INTO rowrunner_mirror.kinds (kind) VALUES (mine.id);
END
$$;

-- Ends it: what Redis has of the kind expires by itself. Run it before rowrunner.detach.
CREATE FUNCTION rowrunner_mirror.disable(kind text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mine rowrunner.kinds := rowrunner.kind_named(disable.kind);
  event text;
BEGIN
  FOREACH event IN ARRAY ARRAY['insert', 'update', 'delete'] LOOP
    EXECUTE format('DROP TRIGGER IF EXISTS rowrunner_mirror_%s ON %s', event, mine.job_table);
  END LOOP;
  DELETE FROM rowrunner_mirror.kinds k WHERE k.kind = mine.id;
  DELETE FROM rowrunner_mirror.changes c WHERE c.kind = mine.id;
END
$$;
