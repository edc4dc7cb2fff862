-- A job table of your own: your columns, and those of the engine.
CREATE TABLE public.thumbnails (
  picture      text NOT NULL UNIQUE,
  width        integer NOT NULL DEFAULT 200,

  id           uuid PRIMARY KEY DEFAULT rowrunner.new_id(),
  status       text NOT NULL DEFAULT 'queued'
               CHECK (status IN ('queued', 'processing', 'succeeded', 'failed', 'cancelled')),
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
) WITH (fillfactor = 25);  -- room on each page, so that a change of status stays on it

CREATE TABLE public.thumbnails_made (picture text PRIMARY KEY, file text NOT NULL);
-- What was paid for, by a step of examples/other_language/worker.py.
CREATE TABLE public.thumbnail_costs (picture text NOT NULL, cents integer NOT NULL);

SELECT rowrunner.attach('public.thumbnails', kind => 'thumbnail');
