-- What the chaos runner adds to a migrated database: two job tables of its own, tables that take the
-- effects of their ends and steps, and triggers that note every transition of every job, with its lease and
-- its transaction, every step, with the lease that it was stored under and the one that the job had, every
-- edge of a join, every child that is held or let go, every job that is deleted, and every commit after
-- which a spot and its job would not agree.

-- The order of what is noted: of two notes that were made under one lock, the first one has the smaller number.
CREATE SEQUENCE public.chaos_order;

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
  run_at       timestamptz NOT NULL DEFAULT now(),
  born         bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint
) WITH (fillfactor = 30);
CREATE TABLE public.chaos_blocking_jobs (LIKE public.chaos_jobs INCLUDING ALL) WITH (fillfactor = 30);
SELECT rowrunner.attach('public.chaos_jobs', kind => 'chaos', joins => true);
SELECT rowrunner.attach('public.chaos_blocking_jobs', kind => 'chaos_blocking', joins => true);

-- No unique key: a second effect must be seen, not refused.
CREATE TABLE public.chaos_effects (
  job_id  uuid NOT NULL,
  lease   bigint NOT NULL,
  txid    bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint
);

-- Likewise, for the effects of steps.
CREATE TABLE public.chaos_pages (
  job_id  uuid NOT NULL,
  step    text NOT NULL,
  lease   bigint NOT NULL,
  txid    bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint
);

CREATE TABLE public.chaos_transitions (
  n            bigint PRIMARY KEY DEFAULT nextval('public.chaos_order'),
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
  held     bigint,
  txid     bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
  at       timestamptz NOT NULL DEFAULT clock_timestamp()
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

-- What happens to a child that waits for others: `wait` and `unwait` (its row of rowrunner.waits comes and goes),
-- `latest` (it may run from another time on), `edge` (it waits for this parent), `held` and `freed` (by its own
-- row). With `freed` stands which transactions are over by then.
CREATE TABLE public.chaos_joins (
  n         bigint PRIMARY KEY DEFAULT nextval('public.chaos_order'),
  txid      bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
  at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  what      text NOT NULL,
  child_id  uuid NOT NULL,
  parent_id uuid,
  policy    text,
  at_latest timestamptz,
  snapshot  text
);

CREATE FUNCTION public.chaos_note_edge() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO public.chaos_joins (what, child_id, parent_id) VALUES ('edge', NEW.child_id, NEW.parent_id);
  RETURN NULL;
END
$$;
CREATE TRIGGER a_note AFTER INSERT ON rowrunner.edges FOR EACH ROW EXECUTE FUNCTION public.chaos_note_edge();

CREATE FUNCTION public.chaos_note_wait() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO public.chaos_joins (what, child_id) VALUES ('unwait', OLD.child_id);
  ELSIF TG_OP = 'INSERT' OR OLD.at_latest IS DISTINCT FROM NEW.at_latest THEN
    INSERT INTO public.chaos_joins (what, child_id, policy, at_latest)
    VALUES (CASE TG_OP WHEN 'INSERT' THEN 'wait' ELSE 'latest' END, NEW.child_id, NEW.when_failed, NEW.at_latest);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER a_note AFTER INSERT OR UPDATE OR DELETE ON rowrunner.waits FOR EACH ROW
  EXECUTE FUNCTION public.chaos_note_wait();

CREATE FUNCTION public.chaos_note_held() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO public.chaos_joins (what, child_id, snapshot)
  VALUES (CASE WHEN NEW.run_at = 'infinity' THEN 'held' ELSE 'freed' END, NEW.id,
          CASE WHEN NEW.run_at < 'infinity' THEN pg_current_snapshot()::text END);
  RETURN NULL;
END
$$;
CREATE TRIGGER a_note_held AFTER UPDATE ON public.chaos_jobs FOR EACH ROW
  WHEN ((OLD.run_at = 'infinity') <> (NEW.run_at = 'infinity')) EXECUTE FUNCTION public.chaos_note_held();

-- Jobs that were deleted, as they were.
CREATE TABLE public.chaos_deleted (
  n            bigint PRIMARY KEY DEFAULT nextval('public.chaos_order'),
  txid         bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
  id           uuid NOT NULL,
  name         text NOT NULL,
  status       text NOT NULL,
  attempts     integer NOT NULL,
  max_attempts integer NOT NULL,
  last_error   text,
  born         bigint NOT NULL
);

CREATE FUNCTION public.chaos_note_deleted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO public.chaos_deleted (id, name, status, attempts, max_attempts, last_error, born)
  VALUES (OLD.id, OLD.name, OLD.status, OLD.attempts, OLD.max_attempts, OLD.last_error, OLD.born);
  RETURN NULL;
END
$$;
CREATE TRIGGER a_note_deleted AFTER DELETE ON public.chaos_jobs FOR EACH ROW
  EXECUTE FUNCTION public.chaos_note_deleted();

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
