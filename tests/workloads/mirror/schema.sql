-- What db/migrations/mirror makes of an empty database; written by scripts/dump-schema.
CREATE SCHEMA rowrunner_mirror;
CREATE FUNCTION rowrunner_mirror.disable(kind text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION rowrunner_mirror.enable(kind text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION rowrunner_mirror.note_changes() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
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
$_$;
CREATE TABLE rowrunner_mirror.changes (
    kind smallint NOT NULL,
    seq bigint NOT NULL,
    job_id uuid NOT NULL,
    public_id text
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', autovacuum_vacuum_cost_delay='0');
ALTER TABLE rowrunner_mirror.changes ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME rowrunner_mirror.changes_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE rowrunner_mirror.holder (
    only_row boolean DEFAULT true NOT NULL,
    holder uuid,
    held_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    CONSTRAINT holder_only_row_check CHECK (only_row)
)
WITH (fillfactor='50');
CREATE TABLE rowrunner_mirror.kinds (
    kind smallint NOT NULL,
    noted_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    epoch uuid DEFAULT gen_random_uuid() NOT NULL
);
ALTER TABLE ONLY rowrunner_mirror.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (kind, seq);
ALTER TABLE ONLY rowrunner_mirror.holder
    ADD CONSTRAINT holder_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY rowrunner_mirror.kinds
    ADD CONSTRAINT kinds_pkey PRIMARY KEY (kind);
ALTER TABLE ONLY rowrunner_mirror.kinds
    ADD CONSTRAINT kinds_kind_fkey FOREIGN KEY (kind) REFERENCES rowrunner.kinds(id) ON DELETE CASCADE;
GRANT USAGE ON SCHEMA rowrunner_mirror TO rowrunner_mirror;
GRANT USAGE ON SCHEMA rowrunner_mirror TO rowrunner_worker;
GRANT USAGE ON SCHEMA rowrunner_mirror TO rowrunner_server;
REVOKE ALL ON FUNCTION rowrunner_mirror.disable(kind text) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner_mirror.enable(kind text) FROM PUBLIC;
REVOKE ALL ON FUNCTION rowrunner_mirror.note_changes() FROM PUBLIC;
GRANT INSERT ON TABLE rowrunner_mirror.changes TO rowrunner_mirror;
GRANT SELECT,DELETE ON TABLE rowrunner_mirror.changes TO rowrunner_worker;
GRANT SELECT,DELETE ON TABLE rowrunner_mirror.changes TO rowrunner_server;
GRANT SELECT ON TABLE rowrunner_mirror.holder TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner_mirror.holder TO rowrunner_server;
GRANT UPDATE(holder) ON TABLE rowrunner_mirror.holder TO rowrunner_worker;
GRANT UPDATE(holder) ON TABLE rowrunner_mirror.holder TO rowrunner_server;
GRANT UPDATE(held_until) ON TABLE rowrunner_mirror.holder TO rowrunner_worker;
GRANT UPDATE(held_until) ON TABLE rowrunner_mirror.holder TO rowrunner_server;
GRANT SELECT ON TABLE rowrunner_mirror.kinds TO rowrunner_mirror;
GRANT SELECT ON TABLE rowrunner_mirror.kinds TO rowrunner_worker;
GRANT SELECT ON TABLE rowrunner_mirror.kinds TO rowrunner_server;
GRANT UPDATE(noted_until) ON TABLE rowrunner_mirror.kinds TO rowrunner_worker;
GRANT UPDATE(noted_until) ON TABLE rowrunner_mirror.kinds TO rowrunner_server;
GRANT UPDATE(epoch) ON TABLE rowrunner_mirror.kinds TO rowrunner_worker;
GRANT UPDATE(epoch) ON TABLE rowrunner_mirror.kinds TO rowrunner_server;
