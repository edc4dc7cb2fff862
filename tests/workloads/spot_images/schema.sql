-- What db/migrations/spot_images makes of an empty database; written by scripts/dump-schema.
CREATE DOMAIN public.plan_key AS text
	CONSTRAINT plan_key_text CHECK ((((octet_length(VALUE) = char_length(VALUE)) OR (VALUE IS NFC NORMALIZED)) AND ((char_length(VALUE) >= 1) AND (char_length(VALUE) <= 100))));
CREATE DOMAIN public.spot_key AS text
	CONSTRAINT spot_key_text CHECK ((((octet_length(VALUE) = char_length(VALUE)) OR (VALUE IS NFC NORMALIZED)) AND ((char_length(VALUE) >= 1) AND (char_length(VALUE) <= 200))));
CREATE FUNCTION public.spot_image_status(status text, attempts integer, max_attempts integer) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN ((status = 'queued'::text) AND ((attempts = 0) OR (attempts >= max_attempts))) THEN 'not_started'::text WHEN (status = 'queued'::text) THEN 'processing'::text ELSE status END;
CREATE FUNCTION public.spot_takes_status_of_job() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION public.spots_follow_jobs() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
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
CREATE TABLE public.spot_image_jobs (
    id uuid DEFAULT rowrunner.new_id() NOT NULL,
    plan_id public.plan_key NOT NULL,
    spot_name public.spot_key NOT NULL,
    status text DEFAULT 'queued'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    max_attempts integer DEFAULT 3 NOT NULL,
    last_error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    locked_at timestamp with time zone,
    locked_by text,
    lease bigint,
    priority smallint DEFAULT 0 NOT NULL,
    run_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT spot_image_jobs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'succeeded'::text, 'failed'::text])))
)
WITH (fillfactor='25', autovacuum_vacuum_scale_factor='0.05');
CREATE TABLE public.spots (
    plan_id text NOT NULL,
    spot_name public.spot_key NOT NULL,
    "position" integer DEFAULT 0 NOT NULL,
    area text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    image_url text,
    image_status text DEFAULT 'not_started'::text NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT spots_image_status_check CHECK ((image_status = ANY (ARRAY['not_started'::text, 'processing'::text, 'succeeded'::text, 'failed'::text])))
)
WITH (fillfactor='50');
CREATE TABLE public.travel_plans (
    plan_id text NOT NULL,
    title text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT travel_plans_plan_id_text CHECK (((plan_id IS NFC NORMALIZED) AND ((char_length(plan_id) >= 1) AND (char_length(plan_id) <= 100))))
);
ALTER TABLE ONLY public.spot_image_jobs
    ADD CONSTRAINT spot_image_jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.spots
    ADD CONSTRAINT spots_pkey PRIMARY KEY (plan_id, spot_name);
ALTER TABLE ONLY public.travel_plans
    ADD CONSTRAINT travel_plans_pkey PRIMARY KEY (plan_id);
CREATE UNIQUE INDEX spot_image_jobs_plan_spot_unique ON public.spot_image_jobs USING btree (plan_id, spot_name);
CREATE INDEX spots_without_picture ON public.spots USING btree (plan_id, "position", spot_name) WHERE (COALESCE(image_url, ''::text) = ''::text);
CREATE INDEX travel_plans_newest ON public.travel_plans USING btree (created_at, plan_id);
CREATE TRIGGER rowrunner_delete AFTER DELETE ON public.spot_image_jobs REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_delete('1', 'spot_image', 'rowrunner.wakeup_spot_image');
CREATE TRIGGER rowrunner_insert AFTER INSERT ON public.spot_image_jobs REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_insert('1', 'spot_image', 'rowrunner.wakeup_spot_image');
CREATE TRIGGER rowrunner_truncate AFTER TRUNCATE ON public.spot_image_jobs FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_truncate('1', 'spot_image', 'rowrunner.wakeup_spot_image');
CREATE TRIGGER rowrunner_update AFTER UPDATE ON public.spot_image_jobs FOR EACH ROW WHEN (((new.status = ANY (ARRAY['queued'::text, 'failed'::text])) OR (old.status = 'failed'::text) OR ((new.status = 'processing'::text) AND ((new.lease IS NULL) OR (old.status <> ALL (ARRAY['queued'::text, 'processing'::text])))) OR ((old.status = 'queued'::text) AND (new.status <> 'processing'::text)) OR (new.id <> old.id))) EXECUTE FUNCTION rowrunner.on_update('1', 'spot_image', 'rowrunner.wakeup_spot_image');
CREATE TRIGGER spot_takes_status_of_job BEFORE INSERT ON public.spots FOR EACH ROW EXECUTE FUNCTION public.spot_takes_status_of_job();
CREATE TRIGGER spots_follow_insert AFTER INSERT ON public.spot_image_jobs REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION public.spots_follow_jobs();
CREATE TRIGGER spots_follow_update AFTER UPDATE ON public.spot_image_jobs REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION public.spots_follow_jobs();
ALTER TABLE ONLY public.spots
    ADD CONSTRAINT spots_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES public.travel_plans(plan_id) ON DELETE CASCADE;
GRANT USAGE ON SCHEMA public TO rowrunner_spots;
REVOKE ALL ON FUNCTION public.spot_takes_status_of_job() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.spots_follow_jobs() FROM PUBLIC;
GRANT SELECT,INSERT ON TABLE public.spot_image_jobs TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.spot_image_jobs TO rowrunner_worker;
GRANT SELECT ON TABLE public.spot_image_jobs TO rowrunner_spots;
GRANT SELECT(xmin) ON TABLE public.spot_image_jobs TO rowrunner_job_writer;
GRANT SELECT(id) ON TABLE public.spot_image_jobs TO rowrunner_job_writer;
GRANT SELECT(status),UPDATE(status) ON TABLE public.spot_image_jobs TO rowrunner_job_writer;
GRANT SELECT(attempts),UPDATE(attempts) ON TABLE public.spot_image_jobs TO rowrunner_job_writer;
GRANT SELECT(max_attempts) ON TABLE public.spot_image_jobs TO rowrunner_job_writer;
GRANT SELECT(last_error),UPDATE(last_error) ON TABLE public.spot_image_jobs TO rowrunner_job_writer;
GRANT SELECT(created_at) ON TABLE public.spot_image_jobs TO rowrunner_job_writer;
GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE public.spot_image_jobs TO rowrunner_job_writer;
GRANT UPDATE(updated_at) ON TABLE public.spot_image_jobs TO rowrunner_spots;
GRANT UPDATE(locked_at) ON TABLE public.spot_image_jobs TO rowrunner_job_writer;
GRANT SELECT(locked_by),UPDATE(locked_by) ON TABLE public.spot_image_jobs TO rowrunner_job_writer;
GRANT SELECT(lease),UPDATE(lease) ON TABLE public.spot_image_jobs TO rowrunner_job_writer;
GRANT SELECT(priority) ON TABLE public.spot_image_jobs TO rowrunner_job_writer;
GRANT SELECT(run_at),UPDATE(run_at) ON TABLE public.spot_image_jobs TO rowrunner_job_writer;
GRANT SELECT,UPDATE ON TABLE public.spots TO rowrunner_spots;
GRANT SELECT,INSERT,UPDATE ON TABLE public.spots TO rowrunner_app;
GRANT SELECT,UPDATE ON TABLE public.spots TO rowrunner_worker;
GRANT SELECT,INSERT,UPDATE ON TABLE public.travel_plans TO rowrunner_app;
GRANT SELECT,UPDATE ON TABLE public.travel_plans TO rowrunner_worker;
