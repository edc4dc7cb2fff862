-- The first workload: one picture per place of a travel plan, and the status of a place's picture, which
-- follows its job.

-- Names are keys that people type and programs send, so the same name must be the same bytes: text is
-- in Unicode normal form C, or refused. Otherwise が and か with a combining mark would be two places,
-- and two paid pictures.
--
-- They are domains, because the CHECK of a table is evaluated for every row that is written, whatever was
-- written of it. A domain's is evaluated when a value is given to a column: when the job is enqueued, and
-- not when it is claimed and ended. ASCII is normal, which is seen at once.
CREATE DOMAIN public.plan_key AS text
  CONSTRAINT plan_key_text
  CHECK ((octet_length(VALUE) = char_length(VALUE) OR VALUE IS NFC NORMALIZED)
         AND char_length(VALUE) BETWEEN 1 AND 100);
CREATE DOMAIN public.spot_key AS text
  CONSTRAINT spot_key_text
  CHECK ((octet_length(VALUE) = char_length(VALUE) OR VALUE IS NFC NORMALIZED)
         AND char_length(VALUE) BETWEEN 1 AND 200);

-- The columns, types, defaults, checks and the unique index are those of the document that asked for
-- it; lease, priority and run_at are the engine's. id and status have defaults besides, so that an
-- INSERT of (plan_id, spot_name) is a complete enqueue.
--
-- The document's second index, (status, locked_at), is left out on purpose. It cannot serve a claim:
-- "ORDER BY created_at" makes every claim sort the whole backlog. And since status stands in it, both
-- transitions of every job would write into every index. The queue (rowrunner.queue) replaces it.
--
-- A row is written three times, and the later two are longer: who runs it, since when, under which lease.
-- All three must fit on the page, also while an old snapshot keeps the older ones: otherwise the last one
-- goes elsewhere, and into every index. With a fillfactor of 30 that was so for one in ten.
CREATE TABLE public.spot_image_jobs (
  id           uuid PRIMARY KEY DEFAULT rowrunner.new_id(),
  plan_id      public.plan_key NOT NULL,
  spot_name    public.spot_key NOT NULL,
  status       text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'processing', 'succeeded', 'failed')),
  attempts     integer NOT NULL DEFAULT 0,
  max_attempts integer NOT NULL DEFAULT 3,
  last_error   text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  locked_at    timestamptz,
  locked_by    text,
  lease        bigint,
  priority     smallint NOT NULL DEFAULT 0,
  run_at       timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0.05);

CREATE UNIQUE INDEX spot_image_jobs_plan_spot_unique ON public.spot_image_jobs (plan_id, spot_name);

SELECT rowrunner.attach('public.spot_image_jobs', kind => 'spot_image');

CREATE TABLE public.travel_plans (
  plan_id    text PRIMARY KEY
             CONSTRAINT travel_plans_plan_id_text
             CHECK (plan_id IS NFC NORMALIZED AND char_length(plan_id) BETWEEN 1 AND 100),
  title      text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX travel_plans_newest ON public.travel_plans (created_at, plan_id);

CREATE TABLE public.spots (
  plan_id      text NOT NULL REFERENCES public.travel_plans ON DELETE CASCADE,
  spot_name    public.spot_key NOT NULL,
  position     integer NOT NULL DEFAULT 0,
  area         text NOT NULL DEFAULT '',
  description  text NOT NULL DEFAULT '',
  image_url    text,
  image_status text NOT NULL DEFAULT 'not_started'
               CHECK (image_status IN ('not_started', 'processing', 'succeeded', 'failed')),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (plan_id, spot_name)
) WITH (fillfactor = 50);

-- What the sweep reads: places without a picture, which are few in the long run.
CREATE INDEX spots_without_picture ON public.spots (plan_id, position, spot_name)
  WHERE coalesce(image_url, '') = '';

-- The status that a reader of the guide sees for a job. Waiting for a retry is still "processing": it
-- has begun. Spent attempts of a queued job are new ones in a moment (rowrunner.on_update resets
-- them), so they count as none; else the status would depend on which trigger ran last.
-- The body is parsed when the function is made, and names what it named then.
CREATE FUNCTION public.spot_image_status(status text, attempts integer, max_attempts integer)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN status = 'queued' AND (attempts = 0 OR attempts >= max_attempts) THEN 'not_started'
            WHEN status = 'queued' THEN 'processing'
            ELSE status END;

-- After each statement that wrote jobs: the places take the statuses of their jobs, in the
-- same transaction. Only places whose status changes are written, and they are locked in the order of
-- their key, so that two statements over the same places wait for each other instead of deadlocking.
CREATE FUNCTION public.spots_follow_jobs() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  -- A job that is queued, has no attempts and whose place says not_started changes nothing, which is what
  -- nearly every enqueue is.
  IF NOT EXISTS (
      SELECT FROM written j
      JOIN public.spots s ON s.plan_id OPERATOR(pg_catalog.=) j.plan_id
                         AND s.spot_name OPERATOR(pg_catalog.=) j.spot_name
      WHERE s.image_status OPERATOR(pg_catalog.<>) 'not_started'
         OR j.status OPERATOR(pg_catalog.<>) 'queued' OR j.attempts OPERATOR(pg_catalog.<>) 0) THEN
    RETURN NULL;
  END IF;
  -- A row that the statement made queued may be cancelled or have new attempts by now: rowrunner.on_update
  -- has run before, and its change has been followed already. So the status of such a row is read again.
  WITH changed AS MATERIALIZED (
    SELECT s.plan_id, s.spot_name, ended.image_status
    FROM written j
    JOIN public.spots s ON s.plan_id OPERATOR(pg_catalog.=) j.plan_id
                       AND s.spot_name OPERATOR(pg_catalog.=) j.spot_name
    CROSS JOIN LATERAL (
      SELECT CASE WHEN j.status OPERATOR(pg_catalog.=) 'queued' THEN (
               SELECT public.spot_image_status(n.status, n.attempts, n.max_attempts)
               FROM public.spot_image_jobs n WHERE n.id OPERATOR(pg_catalog.=) j.id)
             ELSE public.spot_image_status(j.status, j.attempts, j.max_attempts) END AS image_status) ended
    WHERE s.image_status OPERATOR(pg_catalog.<>) ended.image_status
    ORDER BY s.plan_id, s.spot_name
    FOR NO KEY UPDATE OF s
  )
  UPDATE public.spots s SET image_status = c.image_status, updated_at = pg_catalog.now()
  FROM changed c
  WHERE s.plan_id OPERATOR(pg_catalog.=) c.plan_id AND s.spot_name OPERATOR(pg_catalog.=) c.spot_name;
  RETURN NULL;
END
$$;

CREATE TRIGGER spots_follow_insert AFTER INSERT ON public.spot_image_jobs
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION public.spots_follow_jobs();
CREATE TRIGGER spots_follow_update AFTER UPDATE ON public.spot_image_jobs
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION public.spots_follow_jobs();

-- A job may be there before its place: then the place begins with the status of the job. The lock keeps the
-- job as it is until the place can be seen by the trigger above.
CREATE FUNCTION public.spot_takes_status_of_job() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  status_of_job text;
BEGIN
  SELECT public.spot_image_status(j.status, j.attempts, j.max_attempts) INTO status_of_job
    FROM public.spot_image_jobs j
    WHERE j.plan_id = NEW.plan_id AND j.spot_name = NEW.spot_name FOR SHARE;
  IF FOUND THEN
    NEW.image_status := status_of_job;
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER spot_takes_status_of_job BEFORE INSERT ON public.spots
  FOR EACH ROW EXECUTE FUNCTION public.spot_takes_status_of_job();
