-- A job table for what the shipped one cannot carry: handlers that wait, and payloads of any size.
CREATE TABLE public.bench_jobs (
  id           uuid PRIMARY KEY DEFAULT rowrunner.new_id(),
  name         text NOT NULL UNIQUE,
  ms           integer NOT NULL DEFAULT 0,
  payload      text NOT NULL DEFAULT '',
  status       text NOT NULL DEFAULT 'queued',
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
SELECT rowrunner.attach('public.bench_jobs', kind => 'bench');
