-- Changes of many jobs, made in small transactions by whichever server is there. What was done and how far it is
-- commit together, so that a server that ends midway loses nothing and does nothing twice.
CREATE TABLE rowrunner.operations (
  id              bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  kind            text NOT NULL,
  -- NULL: all failed jobs of the kind.
  fingerprint     bigint,
  user_id         text NOT NULL,
  state           text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'cancelled', 'failed')),
  error           text,
  -- Only jobs that had failed by then: one that fails again is not retried again.
  created_at      timestamptz NOT NULL DEFAULT now(),
  ended_at        timestamptz,
  -- How many there were, counted up to 100001.
  matching        bigint NOT NULL DEFAULT 0,
  requeued        bigint NOT NULL DEFAULT 0,
  skipped         bigint NOT NULL DEFAULT 0,
  -- The last failure that was dealt with.
  after_failed_at timestamptz NOT NULL DEFAULT '-infinity',
  after_job_id    uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
) WITH (fillfactor = 50);
-- The same again while it runs is the same one.
CREATE UNIQUE INDEX operations_running ON rowrunner.operations (kind, coalesce(fingerprint::text, ''))
  WHERE state = 'running';
