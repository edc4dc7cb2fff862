-- What the chaos runner adds to a migrated database: two job tables of its own, a table that takes
-- their effects, and a trigger that notes every transition of every job, with its lease and its
-- transaction.

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
