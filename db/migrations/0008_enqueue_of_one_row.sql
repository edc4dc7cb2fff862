-- An enqueue of one row pays for every statement that its triggers run, and for every expression in it:
-- both are set up anew each time.

-- The time in floating point, which is cheaper than numeric and as exact as milliseconds need it.
CREATE OR REPLACE FUNCTION rowrunner.new_id() RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN encode(set_bit(set_bit(
    overlay(uuid_send(gen_random_uuid())
      PLACING substring(int8send((date_part('epoch', clock_timestamp()) * 1000)::bigint) FROM 3)
      FROM 1 FOR 6),
    52, 1), 53, 1), 'hex')::uuid;

-- The usual row, queued and due, costs one statement: whether there are others is found out by the one that
-- gives the places, and told by a setting, which lasts until then.
CREATE OR REPLACE FUNCTION rowrunner.on_insert() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  my_kind CONSTANT smallint := TG_ARGV[0];
BEGIN
  INSERT INTO rowrunner.queue (kind, priority, seq, job_id)
    SELECT my_kind, i.priority, pg_catalog.nextval('rowrunner.back_of_line'), i.id
    FROM inserted i
    WHERE CASE WHEN i.status OPERATOR(pg_catalog.=) 'queued'
                AND i.run_at OPERATOR(pg_catalog.<=) pg_catalog.now() THEN true
               ELSE pg_catalog.set_config('rowrunner.others_inserted', 'yes', true) IS NULL END;
  IF pg_catalog.current_setting('rowrunner.others_inserted', true) OPERATOR(pg_catalog.=) 'yes' THEN
    PERFORM pg_catalog.set_config('rowrunner.others_inserted', 'no', true);
    IF EXISTS (SELECT FROM inserted i WHERE i.status OPERATOR(pg_catalog.=) 'processing') THEN
      RAISE EXCEPTION 'a job cannot be inserted as processing: only a claim makes it so'
        USING ERRCODE = 'check_violation', HINT = 'Leave status out, or insert ''queued''.';
    END IF;
    INSERT INTO rowrunner.delayed (kind, run_at, priority, job_id)
      SELECT my_kind, i.run_at, i.priority, i.id
      FROM inserted i
      WHERE i.status OPERATOR(pg_catalog.=) 'queued' AND i.run_at OPERATOR(pg_catalog.>) pg_catalog.now();
    INSERT INTO rowrunner.failures (job_id, kind, attempts, error)
      SELECT i.id, my_kind, i.attempts, i.last_error
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

-- The first look asks less than it did: a job that is queued, has no attempts and whose place says
-- not_started changes nothing, which is what nearly every enqueue is.
CREATE OR REPLACE FUNCTION public.spots_follow_jobs() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF NOT EXISTS (
      SELECT FROM written j
      JOIN public.spots s ON s.plan_id OPERATOR(pg_catalog.=) j.plan_id
                         AND s.spot_name OPERATOR(pg_catalog.=) j.spot_name
      WHERE s.image_status OPERATOR(pg_catalog.<>) 'not_started'
         OR j.status OPERATOR(pg_catalog.<>) 'queued' OR j.attempts OPERATOR(pg_catalog.<>) 0) THEN
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
