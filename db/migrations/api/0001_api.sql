-- Who may ask the HTTP server for what. Of every secret only the SHA-256 is kept: the secret itself is
-- 256 random bits, so that a slow hash would add nothing.

CREATE TABLE rowrunner.tokens (
  id         bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  hash       bytea NOT NULL CHECK (octet_length(hash) = 32),
  user_id    text NOT NULL CHECK (char_length(user_id) BETWEEN 1 AND 200),
  role       text NOT NULL CHECK (role IN ('user', 'viewer', 'operator', 'admin')),
  name       text NOT NULL DEFAULT '' CHECK (char_length(name) <= 200),
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Revoked tokens stay: a server with no token at all may be used without one.
  revoked_at timestamptz
);

-- Sign-ins of browsers: what a cookie stands for.
CREATE TABLE rowrunner.web_sessions (
  id         bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  hash       bytea NOT NULL CHECK (octet_length(hash) = 32),
  token_id   bigint NOT NULL REFERENCES rowrunner.tokens ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);
CREATE INDEX web_sessions_expire ON rowrunner.web_sessions (expires_at);
CREATE INDEX web_sessions_token ON rowrunner.web_sessions (token_id);

-- One-use keys for clients that cannot send a header. A used one is deleted.
CREATE TABLE rowrunner.tickets (
  id         bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  hash       bytea NOT NULL CHECK (octet_length(hash) = 32),
  token_id   bigint NOT NULL REFERENCES rowrunner.tokens ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);
CREATE INDEX tickets_expire ON rowrunner.tickets (expires_at);
CREATE INDEX tickets_token ON rowrunner.tickets (token_id);

-- Calls of a user to an endpoint in a clock hour. There is one row for all hours, so that nothing has to
-- be cleaned up, and its lock makes the count exact whatever the number of servers.
CREATE TABLE rowrunner.call_counts (
  user_id  text NOT NULL,
  endpoint text NOT NULL,
  hour     timestamptz NOT NULL,
  calls    integer NOT NULL,
  PRIMARY KEY (user_id, endpoint)
) WITH (fillfactor = 50);

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
  after_job_id    uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  -- Operations go over the failures twice, as some may have been committed late.
  second_pass     boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
-- The same again while it runs is the same one.
CREATE UNIQUE INDEX operations_running ON rowrunner.operations (kind, coalesce(fingerprint::text, ''))
  WHERE state = 'running';
