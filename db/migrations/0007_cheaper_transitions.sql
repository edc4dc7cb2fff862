-- What an enqueue and a job's two transitions paid for and did not need.

-- A CHECK of a table is evaluated for every row that is written, whatever was written of it, and its
-- text is read anew by every statement. A domain's is evaluated when a value is given to a column: when
-- the job is enqueued, and not when it is claimed and ended. ASCII is normal, which is seen at once.
CREATE DOMAIN public.plan_key AS text
  CONSTRAINT plan_key_text
  CHECK ((octet_length(VALUE) = char_length(VALUE) OR VALUE IS NFC NORMALIZED)
         AND char_length(VALUE) BETWEEN 1 AND 100);
CREATE DOMAIN public.spot_key AS text
  CONSTRAINT spot_key_text
  CHECK ((octet_length(VALUE) = char_length(VALUE) OR VALUE IS NFC NORMALIZED)
         AND char_length(VALUE) BETWEEN 1 AND 200);

ALTER TABLE public.spot_image_jobs
  DROP CONSTRAINT spot_image_jobs_plan_id_text,
  DROP CONSTRAINT spot_image_jobs_spot_name_text,
  ALTER COLUMN plan_id TYPE public.plan_key,
  ALTER COLUMN spot_name TYPE public.spot_key;
ALTER TABLE public.spots
  DROP CONSTRAINT spots_spot_name_text,
  ALTER COLUMN spot_name TYPE public.spot_key;

-- A job's row is written three times, and the later two are longer: who runs it, since when, under which
-- lease. All three must fit on the page, also while somebody's snapshot keeps the older ones: otherwise
-- the last one goes elsewhere, and into every index. With 30 that was so for one in ten.
ALTER TABLE public.spot_image_jobs SET (fillfactor = 25);

-- The ids of a batch do not get much smaller by compressing, and are read only when a worker is lost.
ALTER TABLE rowrunner.leases ALTER COLUMN job_ids SET STORAGE EXTERNAL;

-- To set search_path for a call, and back, costs as much as giving a job its place. The functions that
-- every enqueue calls do without: whatever they name they name with its schema, operators included, so
-- that nothing of the caller's can stand in for it.
CREATE OR REPLACE FUNCTION rowrunner.on_insert() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO rowrunner.queue (kind, priority, seq, job_id)
    SELECT TG_ARGV[0]::smallint, i.priority, pg_catalog.nextval('rowrunner.back_of_line'), i.id
    FROM inserted i
    WHERE i.status OPERATOR(pg_catalog.=) 'queued' AND i.run_at OPERATOR(pg_catalog.<=) pg_catalog.now();
  IF EXISTS (SELECT FROM inserted i WHERE i.status OPERATOR(pg_catalog.<>) 'queued'
                                       OR i.run_at OPERATOR(pg_catalog.>) pg_catalog.now()) THEN
    IF EXISTS (SELECT FROM inserted i WHERE i.status OPERATOR(pg_catalog.=) 'processing') THEN
      RAISE EXCEPTION 'a job cannot be inserted as processing: only a claim makes it so'
        USING ERRCODE = 'check_violation', HINT = 'Leave status out, or insert ''queued''.';
    END IF;
    INSERT INTO rowrunner.delayed (kind, run_at, priority, job_id)
      SELECT TG_ARGV[0]::smallint, i.run_at, i.priority, i.id
      FROM inserted i
      WHERE i.status OPERATOR(pg_catalog.=) 'queued' AND i.run_at OPERATOR(pg_catalog.>) pg_catalog.now();
    INSERT INTO rowrunner.failures (job_id, kind, attempts, error)
      SELECT i.id, TG_ARGV[0]::smallint, i.attempts, i.last_error
      FROM inserted i WHERE i.status OPERATOR(pg_catalog.=) 'failed';
  END IF;
  -- The test of rowrunner.wake, before the call of it.
  IF pg_catalog.pg_sequence_last_value(TG_ARGV[2]::pg_catalog.regclass) OPERATOR(pg_catalog.>)
     (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000) THEN
    PERFORM rowrunner.wake(TG_ARGV[2]::pg_catalog.regclass, TG_ARGV[1]);
  END IF;
  RETURN NULL;
END
$$;

-- A body that is parsed when the function is made, and names what it named then.
CREATE OR REPLACE FUNCTION public.spot_image_status(status text, attempts integer, max_attempts integer)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN status = 'queued' AND (attempts = 0 OR attempts >= max_attempts) THEN 'not_started'
            WHEN status = 'queued' THEN 'processing'
            ELSE status END;

CREATE OR REPLACE FUNCTION public.spots_follow_jobs() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  -- Most statements change no word: a new job's place is not_started already.
  IF NOT EXISTS (
      SELECT FROM written j
      JOIN public.spots s ON s.plan_id OPERATOR(pg_catalog.=) j.plan_id
                         AND s.spot_name OPERATOR(pg_catalog.=) j.spot_name
      WHERE s.image_status OPERATOR(pg_catalog.<>)
            public.spot_image_status(j.status, j.attempts, j.max_attempts)) THEN
    RETURN NULL;
  END IF;
  WITH changed AS MATERIALIZED (
    SELECT s.plan_id, s.spot_name,
           public.spot_image_status(j.status, j.attempts, j.max_attempts) AS word
    FROM written j
    JOIN public.spots s ON s.plan_id OPERATOR(pg_catalog.=) j.plan_id
                       AND s.spot_name OPERATOR(pg_catalog.=) j.spot_name
    WHERE s.image_status OPERATOR(pg_catalog.<>)
          public.spot_image_status(j.status, j.attempts, j.max_attempts)
    ORDER BY s.plan_id, s.spot_name
    FOR NO KEY UPDATE OF s
  )
  UPDATE public.spots s SET image_status = c.word, updated_at = pg_catalog.now()
  FROM changed c
  WHERE s.plan_id OPERATOR(pg_catalog.=) c.plan_id AND s.spot_name OPERATOR(pg_catalog.=) c.spot_name;
  RETURN NULL;
END
$$;

-- How far claims have come, for all workers of a kind: each would otherwise pass over what the others
-- have taken. It is a hint, seen at once and outside of transactions, and so a sequence; what falls
-- behind it (late commits, jobs given back) is found by looking from the front. The mark holds the
-- priority in its upper bits and the number of a place at the back of the line in its lower 47.
CREATE FUNCTION rowrunner.reached_mark(priority smallint, seq bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN seq > 0 THEN ((priority::bigint + 32768) << 47) | seq END;

CREATE FUNCTION rowrunner.reached_seq(mark regclass, priority smallint) RETURNS bigint
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN (SELECT m.last & ((1::bigint << 47) - 1)
        FROM (SELECT pg_sequence_last_value(mark) AS last) m
        WHERE m.last >> 47 = priority + 32768);

CREATE FUNCTION rowrunner.reach(mark regclass, last bigint) RETURNS bigint
LANGUAGE sql VOLATILE PARALLEL UNSAFE
RETURN CASE WHEN last > coalesce(pg_sequence_last_value(mark), 0)
              OR last >> 47 < pg_sequence_last_value(mark) >> 47
            THEN setval(mark, last) END;

ALTER TABLE rowrunner.kinds ADD COLUMN reached regclass;

-- The mark comes and goes with its kind.
CREATE FUNCTION rowrunner.kind_has_a_mark() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    EXECUTE format('DROP SEQUENCE IF EXISTS rowrunner.%I', 'reached_' || OLD.kind);
    RETURN OLD;
  END IF;
  EXECUTE format('CREATE SEQUENCE rowrunner.%I', 'reached_' || NEW.kind);
  EXECUTE format('GRANT SELECT, UPDATE ON SEQUENCE rowrunner.%I TO rowrunner_worker', 'reached_' || NEW.kind);
  NEW.reached := format('rowrunner.%I', 'reached_' || NEW.kind)::regclass;
  RETURN NEW;
END
$$;
CREATE TRIGGER kind_gets_a_mark BEFORE INSERT ON rowrunner.kinds
  FOR EACH ROW EXECUTE FUNCTION rowrunner.kind_has_a_mark();
CREATE TRIGGER kind_loses_its_mark BEFORE DELETE ON rowrunner.kinds
  FOR EACH ROW EXECUTE FUNCTION rowrunner.kind_has_a_mark();
DO $$
DECLARE
  attached text;
BEGIN
  FOR attached IN SELECT k.kind FROM rowrunner.kinds k LOOP
    EXECUTE format('CREATE SEQUENCE rowrunner.%I', 'reached_' || attached);
    EXECUTE format('GRANT SELECT, UPDATE ON SEQUENCE rowrunner.%I TO rowrunner_worker', 'reached_' || attached);
    UPDATE rowrunner.kinds k SET reached = format('rowrunner.%I', 'reached_' || attached)::regclass
      WHERE k.kind = attached;
  END LOOP;
END
$$;
ALTER TABLE rowrunner.kinds ALTER COLUMN reached SET NOT NULL;

REVOKE ALL ON FUNCTION rowrunner.reached_mark(smallint, bigint), rowrunner.reached_seq(regclass, smallint),
  rowrunner.reach(regclass, bigint), rowrunner.kind_has_a_mark() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rowrunner.reached_mark(smallint, bigint),
  rowrunner.reached_seq(regclass, smallint), rowrunner.reach(regclass, bigint) TO rowrunner_worker;
