-- An enqueue of one row pays for every statement that its triggers run, so they run fewer: the
-- usual row is queued, due, and its place already has the right word.

-- A body that is parsed when the function is made, and not for every statement that uses it.
CREATE OR REPLACE FUNCTION rowrunner.new_id() RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN encode(set_bit(set_bit(
    overlay(uuid_send(gen_random_uuid())
      PLACING substring(int8send((EXTRACT(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
      FROM 1 FOR 6),
    52, 1), 53, 1), 'hex')::uuid;

CREATE OR REPLACE FUNCTION rowrunner.on_insert() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO rowrunner.queue (kind, priority, seq, job_id)
    SELECT TG_ARGV[0]::smallint, priority, nextval('rowrunner.back_of_line'), id
    FROM inserted WHERE status = 'queued' AND run_at <= now();
  IF EXISTS (SELECT FROM inserted WHERE status <> 'queued' OR run_at > now()) THEN
    IF EXISTS (SELECT FROM inserted WHERE status = 'processing') THEN
      RAISE EXCEPTION 'a job cannot be inserted as processing: only a claim makes it so'
        USING ERRCODE = 'check_violation', HINT = 'Leave status out, or insert ''queued''.';
    END IF;
    INSERT INTO rowrunner.delayed (kind, run_at, priority, job_id)
      SELECT TG_ARGV[0]::smallint, run_at, priority, id
      FROM inserted WHERE status = 'queued' AND run_at > now();
    INSERT INTO rowrunner.failures (job_id, kind, attempts, error)
      SELECT id, TG_ARGV[0]::smallint, attempts, last_error FROM inserted WHERE status = 'failed';
  END IF;
  -- The test of rowrunner.wake, before the call of it.
  IF pg_sequence_last_value(TG_ARGV[2]::regclass) > EXTRACT(epoch FROM clock_timestamp()) * 1000 THEN
    PERFORM rowrunner.wake(TG_ARGV[2]::regclass, TG_ARGV[1]);
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION public.spots_follow_jobs() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Most statements change no word: a new job's place is not_started already.
  IF NOT EXISTS (
      SELECT FROM written j
      JOIN public.spots s ON s.plan_id = j.plan_id AND s.spot_name = j.spot_name
      WHERE s.image_status <> public.spot_image_status(j.status, j.attempts, j.max_attempts)) THEN
    RETURN NULL;
  END IF;
  WITH changed AS MATERIALIZED (
    SELECT s.plan_id, s.spot_name,
           public.spot_image_status(j.status, j.attempts, j.max_attempts) AS word
    FROM written j
    JOIN public.spots s ON s.plan_id = j.plan_id AND s.spot_name = j.spot_name
    WHERE s.image_status <> public.spot_image_status(j.status, j.attempts, j.max_attempts)
    ORDER BY s.plan_id, s.spot_name
    FOR NO KEY UPDATE OF s
  )
  UPDATE public.spots s SET image_status = c.word, updated_at = now()
  FROM changed c WHERE s.plan_id = c.plan_id AND s.spot_name = c.spot_name;
  RETURN NULL;
END
$$;
