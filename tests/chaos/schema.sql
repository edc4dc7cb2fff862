-- What the chaos runner adds to a migrated database: two job tables of its own, a table that takes
-- their effects, and triggers that note every transition of every job, with its lease and its
-- transaction, every step, with the lease that it was stored under and the one that the job had, and
-- every commit after which a spot and its job would not agree.

CREATE TABLE public.chaos_jobs (
  id           uuid PRIMARY KEY DEFAULT rowrunner.new_id(),
  name         text NOT NULL UNIQUE CHECK (name IS NFC NORMALIZED AND char_length(name) <= 100),
  status       text NOT NULL DEFAULT 'queued'
               CHECK (status IN ('queued', 'processing', 'succeeded', 'failed', 'cancelled')),
  attempts     integer NOT NULL DEFAULT 0,
  max_attempts integer NOT NULL DEFAULT 4,
  last_error   text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  locked_at    timestamptz,
  locked_by    text,
  lease        bigint,
  priority     smallint NOT NULL DEFAULT 0,
  run_at       timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 30);
CREATE TABLE public.chaos_blocking_jobs (LIKE public.chaos_jobs INCLUDING ALL) WITH (fillfactor = 30);
SELECT rowrunner.attach('public.chaos_jobs', kind => 'chaos');
SELECT rowrunner.attach('public.chaos_blocking_jobs', kind => 'chaos_blocking');

-- No unique key: a second effect must be seen, not refused.
CREATE TABLE public.chaos_effects (
  job_id  uuid NOT NULL,
  lease   bigint NOT NULL,
  txid    bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint
);

CREATE TABLE public.chaos_transitions (
  n            bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  txid         bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
  at           timestamptz NOT NULL DEFAULT clock_timestamp(),
  kind         text NOT NULL,
  job_id       uuid NOT NULL,
  before       text NOT NULL,
  after        text NOT NULL,
  old_lease    bigint,
  new_lease    bigint,
  old_attempts integer NOT NULL,
  new_attempts integer NOT NULL,
  worker       text,
  error        text
);

CREATE FUNCTION public.chaos_note() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO public.chaos_transitions (kind, job_id, before, after, old_lease, new_lease,
                                        old_attempts, new_attempts, worker, error)
  VALUES (TG_ARGV[0], NEW.id, OLD.status, NEW.status, OLD.lease, NEW.lease, OLD.attempts,
          NEW.attempts, coalesce(NEW.locked_by, OLD.locked_by), left(NEW.last_error, 200));
  RETURN NULL;
END
$$;

-- Its name sorts before those of the engine's triggers, whose own updates come after this one.
CREATE TRIGGER a_note AFTER UPDATE ON public.chaos_jobs FOR EACH ROW
  WHEN (OLD.status <> NEW.status OR OLD.lease IS DISTINCT FROM NEW.lease OR OLD.attempts <> NEW.attempts)
  EXECUTE FUNCTION public.chaos_note('chaos');
CREATE TRIGGER a_note AFTER UPDATE ON public.chaos_blocking_jobs FOR EACH ROW
  WHEN (OLD.status <> NEW.status OR OLD.lease IS DISTINCT FROM NEW.lease OR OLD.attempts <> NEW.attempts)
  EXECUTE FUNCTION public.chaos_note('chaos_blocking');
CREATE TRIGGER a_note AFTER UPDATE ON public.spot_image_jobs FOR EACH ROW
  WHEN (OLD.status <> NEW.status OR OLD.lease IS DISTINCT FROM NEW.lease OR OLD.attempts <> NEW.attempts)
  EXECUTE FUNCTION public.chaos_note('spot_image');

CREATE TABLE public.chaos_steps (
  job_id   uuid NOT NULL,
  step     text NOT NULL,
  written  bigint NOT NULL,
  held     bigint
);

CREATE FUNCTION public.chaos_note_step() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO public.chaos_steps (job_id, step, written, held)
  VALUES (NEW.job_id, NEW.step, (NEW.result->>'lease')::bigint,
          (SELECT j.lease FROM public.chaos_jobs j
           WHERE j.id = NEW.job_id AND j.status = 'processing'));
  RETURN NULL;
END
$$;

-- Only steps whose handler says under which lease it runs: those of chaos_jobs.
CREATE TRIGGER a_note AFTER INSERT OR UPDATE ON rowrunner.steps FOR EACH ROW
  WHEN (jsonb_exists(NEW.result, 'lease')) EXECUTE FUNCTION public.chaos_note_step();

CREATE TABLE public.chaos_disagreements (
  txid    bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
  job_id  uuid NOT NULL,
  spot    text NOT NULL,
  job     text NOT NULL
);

CREATE FUNCTION public.chaos_compare() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO public.chaos_disagreements (job_id, spot, job)
  SELECT j.id, s.image_status, j.status
  FROM public.spot_image_jobs j JOIN public.spots s USING (plan_id, spot_name)
  WHERE j.id = NEW.id
    AND s.image_status <> public.spot_image_status(j.status, j.attempts, j.max_attempts);
  RETURN NULL;
END
$$;

-- Deferred: what counts is what the transaction leaves behind. A look from outside, once a second,
-- would miss what is put right a moment later.
CREATE CONSTRAINT TRIGGER z_compare AFTER INSERT OR UPDATE ON public.spot_image_jobs
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.chaos_compare();

-- A row that is written again and again, to see how long that takes.
CREATE TABLE public.chaos_pulse (n bigint NOT NULL) WITH (fillfactor = 10);
INSERT INTO public.chaos_pulse VALUES (0);
