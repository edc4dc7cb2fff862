-- The engine's tables. A job is a row of a user's own table; here is only what the engine needs beside
-- it: which jobs wait, which run and where, which failed, what they have stored so far.
--
-- The tables that every job passes through (queue, leases) have no foreign keys and no index that
-- is not needed to find the next row: each would be paid for by every job.
--
-- An id is unique in its own table only, so everything that is kept of a job is keyed by kind and id.

CREATE SCHEMA rowrunner;

-- What the schema can serve. `oldest_binary` is the lowest schema version that a running binary may
-- have been built for; a migration raises it when it takes away something that older ones need.
CREATE TABLE rowrunner.schema_info (
  only_row      boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  version       integer NOT NULL,
  oldest_binary integer NOT NULL
);
INSERT INTO rowrunner.schema_info (version, oldest_binary) VALUES (0, 1);

-- The kinds of jobs: which table holds them, and how they are run.
CREATE TABLE rowrunner.kinds (
  id               smallint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  kind             text NOT NULL UNIQUE CHECK (kind ~ '^[a-z][a-z0-9_]{0,47}$'),
  job_table        regclass NOT NULL UNIQUE,
  -- The status of a cancelled job: 'failed' where the table's own CHECK does not know 'cancelled'.
  cancelled_status text NOT NULL CHECK (cancelled_status IN ('cancelled', 'failed')),
  -- A sequence used as a flag outside of transactions; see rowrunner.wake.
  wakeup           regclass NOT NULL,
  -- How far claims have come, a sequence as well; see rowrunner.reach.
  reached          regclass NOT NULL,
  paused           boolean NOT NULL DEFAULT false,
  -- Succeeded jobs, and those that failed or were cancelled, are deleted this long after their last
  -- change; NULL keeps them. They are rows of the user's own table, so NULL is the default of both.
  retention        interval CHECK (retention > interval '0'),
  failed_retention interval CHECK (failed_retention > interval '0'),
  -- Whether its jobs can be parents of others: its table has the triggers for it.
  joins            boolean NOT NULL DEFAULT false,
  -- The columns that name the owner of a job, a second one that it may have, and the id by which others know it.
  owner_column     name,
  co_owner_column  name,
  public_id_column name,
  attached_at      timestamptz NOT NULL DEFAULT now()
);

-- The queue: jobs that are due and waiting. An entry is a hint, the job's status decides; an entry
-- whose job no longer matches vanishes when a claim meets it. Smaller priorities run first.
-- Entries at the back have a positive seq, entries at the front (released, rescued) a negative one.
CREATE SEQUENCE rowrunner.queue_back AS bigint MINVALUE 1 START 1;
CREATE SEQUENCE rowrunner.queue_front AS bigint INCREMENT -1 MAXVALUE -1 START -1;
CREATE TABLE rowrunner.queue (
  kind     smallint NOT NULL,
  priority smallint NOT NULL,
  seq      bigint NOT NULL,
  job_id   uuid NOT NULL,
  PRIMARY KEY (kind, priority, seq)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_vacuum_cost_delay = 0);

-- Jobs whose time has not come. They stay out of the queue, because every claim would walk over them.
-- A job with run_at = 'infinity' is held: it has no entry here or there until its run_at changes.
CREATE TABLE rowrunner.delayed (
  kind     smallint NOT NULL,
  run_at   timestamptz NOT NULL,
  priority smallint NOT NULL,
  job_id   uuid NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX delayed_due ON rowrunner.delayed (kind, run_at);

-- One row per claimed batch. Its number is the fencing token: drawn at random and never again, since
-- a sequence would hand out the same numbers twice after a crash that lost asynchronous commits.
CREATE TABLE rowrunner.leases (
  lease      bigint PRIMARY KEY,
  kind       smallint NOT NULL,
  worker     text NOT NULL,
  expires_at timestamptz NOT NULL,
  job_ids    uuid[] NOT NULL,
  -- What a heartbeat of an SQL worker extends it by.
  lease_for  interval,
  -- How often it could not be rescued because writing one of its jobs failed.
  failed_rescues smallint NOT NULL DEFAULT 0
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0);
-- The ids of a batch do not get much smaller by compressing, and are read only when a worker is lost.
ALTER TABLE rowrunner.leases ALTER COLUMN job_ids SET STORAGE EXTERNAL;

-- Notifications that wait for the end of their transaction; see rowrunner.wake. No row outlives it.
CREATE UNLOGGED TABLE rowrunner.wakeups (
  id          bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  kind        text NOT NULL,
  armed_until bigint NOT NULL
);

-- Worker processes, as they last reported.
CREATE TABLE rowrunner.workers (
  worker     text PRIMARY KEY,
  kinds      text[] NOT NULL,
  version    text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  seen_at    timestamptz NOT NULL DEFAULT now(),
  -- The kinds of which it can claim nothing, each with the error.
  problems   jsonb NOT NULL DEFAULT '{}'
) WITH (fillfactor = 50);

-- Those that count as alive. They report every ten seconds, so that two reports may be lost.
CREATE VIEW rowrunner.live_workers AS
  SELECT w.worker, w.kinds, w.problems FROM rowrunner.workers w WHERE w.seen_at > now() - interval '30 seconds';

-- Requests to stop a running job. They name the lease, so that none can reach a later run.
CREATE TABLE rowrunner.cancellations (
  lease        bigint NOT NULL,
  job_id       uuid NOT NULL,
  reason       text NOT NULL,
  requested_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (lease, job_id)
);

-- Results of steps that are done, so that a retry does not pay for them again.
CREATE TABLE rowrunner.steps (
  kind       smallint NOT NULL,
  job_id     uuid NOT NULL,
  step       text NOT NULL,
  result     jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (kind, job_id, step)
);

-- How far a running job has come.
CREATE TABLE rowrunner.progress (
  kind       smallint NOT NULL,
  job_id     uuid NOT NULL,
  done       bigint NOT NULL,
  total      bigint NOT NULL,
  message    text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (kind, job_id),
  CHECK (done >= 0 AND total >= 0)
) WITH (fillfactor = 50);

-- One row per charged attempt, with its error.
CREATE TABLE rowrunner.attempts (
  id         bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  kind       smallint NOT NULL,
  job_id     uuid NOT NULL,
  attempt    integer NOT NULL,
  worker     text,
  started_at timestamptz,
  ended_at   timestamptz NOT NULL DEFAULT now(),
  error      text NOT NULL
);
CREATE INDEX attempts_of_job ON rowrunner.attempts (kind, job_id);

-- Jobs that a claim passed over because the UPDATE of their row failed, with the error. Their entry is
-- among the delayed until retry_at. A row means something only while its job is queued; it is swept an
-- hour after the last failure.
CREATE TABLE rowrunner.claim_errors (
  kind      smallint NOT NULL,
  job_id    uuid NOT NULL,
  error     text NOT NULL,
  tries     integer NOT NULL DEFAULT 1,
  failed_at timestamptz NOT NULL DEFAULT now(),
  retry_at  timestamptz NOT NULL,
  PRIMARY KEY (kind, job_id)
);

-- The dead letter list: one row per job that has failed for good.
CREATE TABLE rowrunner.failures (
  kind      smallint NOT NULL,
  job_id    uuid NOT NULL,
  failed_at timestamptz NOT NULL DEFAULT now(),
  attempts  integer NOT NULL,
  error     text,
  -- When a trigger of the job table last refused to queue the job again: requeue_failed tries such jobs last.
  refused_at timestamptz,
  -- What failures with the same cause share: the beginning of the error without numbers and ids. The codes 400 to 599
  -- stay, as what to do depends on them.
  fingerprint bigint NOT NULL GENERATED ALWAYS AS (
    hashtextextended(regexp_replace(left(coalesce(error, ''), 300),
                                    '\m(?![45][0-9]{2}\M)[A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]*', '#', 'g'), 0)) STORED,
  PRIMARY KEY (kind, job_id)
);
CREATE INDEX failures_newest ON rowrunner.failures (kind, failed_at, job_id);
CREATE INDEX failures_alike ON rowrunner.failures (kind, fingerprint, failed_at, job_id);
CREATE INDEX failures_refused ON rowrunner.failures (kind, refused_at) WHERE refused_at IS NOT NULL;

-- What happened per minute and worker. A row of its own per worker, so that no worker waits for
-- another one's commit.
CREATE TABLE rowrunner.counters (
  minute    timestamptz NOT NULL,
  kind      smallint NOT NULL,
  worker    text NOT NULL,
  claimed   bigint NOT NULL DEFAULT 0,
  succeeded bigint NOT NULL DEFAULT 0,
  failed    bigint NOT NULL DEFAULT 0,
  retried   bigint NOT NULL DEFAULT 0,
  rescued   bigint NOT NULL DEFAULT 0,
  released  bigint NOT NULL DEFAULT 0,
  refused   bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (minute, kind, worker)
) WITH (fillfactor = 50);
