-- Scoring: a sheet of utterances, scored by a model in chunks. Scores are rows; files and spreadsheets are made of
-- them. A (row, block) that has its scores here is never asked for again: the table of scores is the checkpoint.

CREATE TABLE public.scoring_runs (
  run_id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name             text NOT NULL UNIQUE
                   CONSTRAINT scoring_runs_name CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'),
  -- Over sheet, blocks and model: the same run again is recognised, another one of that name refused.
  content_hash     text NOT NULL,
  provider         text NOT NULL,
  model            text NOT NULL,
  system_prompt    text NOT NULL,
  -- The names of the sheet's columns, and which of them has the utterance.
  header           text[] NOT NULL,
  utterance_column integer NOT NULL,
  -- [{"name", "categories": [{"name", "description"}], "col_offset"}]
  blocks           jsonb NOT NULL,
  block_count      integer NOT NULL,
  -- chunk_retry_limit, max_retries, flush_batch_size, flush_interval, concurrency, …
  config           jsonb NOT NULL,
  row_start        integer NOT NULL,
  row_count        integer NOT NULL DEFAULT 0,
  status           text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'completed', 'failed')),
  reason           text,
  -- Counts up when the run is resumed; each round has a job that ends it.
  round            integer NOT NULL DEFAULT 1,
  created_at       timestamptz NOT NULL DEFAULT now(),
  updated_at       timestamptz NOT NULL DEFAULT now(),
  ended_at         timestamptz,
  -- When this round began, and the blocks that were done then: the speed of a resumed run is that of its round.
  round_began_at   timestamptz NOT NULL DEFAULT now(),
  round_began_with bigint NOT NULL DEFAULT 0,
  -- Whether the sheet began with a byte order mark; the export then does, too.
  bom              boolean NOT NULL DEFAULT false
);
CREATE INDEX scoring_runs_newest ON public.scoring_runs (created_at, run_id);

-- The sheet as it was when the run was made. row_index counts from 0 over the whole sheet, the header included.
CREATE TABLE public.scoring_rows (
  run_id    bigint NOT NULL REFERENCES public.scoring_runs ON DELETE CASCADE,
  row_index integer NOT NULL,
  cells     text[] NOT NULL,
  PRIMARY KEY (run_id, row_index)
);

-- A chunk is a job. What the document calls retry_count is attempts, its pending is queued, its running processing.
CREATE TABLE public.scoring_chunk_jobs (
  id           uuid PRIMARY KEY DEFAULT rowrunner.new_id(),
  run_id       bigint NOT NULL,
  chunk_no     integer NOT NULL,
  row_start    integer NOT NULL,
  row_end      integer NOT NULL,
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
CREATE UNIQUE INDEX scoring_chunk_jobs_of_run ON public.scoring_chunk_jobs (run_id, chunk_no);
SELECT rowrunner.attach('public.scoring_chunk_jobs', kind => 'scoring_chunk', joins => true);

-- What a chunk has done, written with each flush. Only the worker that has the chunk's lease writes its row.
CREATE TABLE public.scoring_chunk_counts (
  run_id           bigint NOT NULL REFERENCES public.scoring_runs ON DELETE CASCADE,
  chunk_no         integer NOT NULL,
  flushes          integer NOT NULL DEFAULT 0,
  processed_rows   integer NOT NULL DEFAULT 0,
  processed_blocks integer NOT NULL DEFAULT 0,
  failed_blocks    integer NOT NULL DEFAULT 0,
  cache_hits       integer NOT NULL DEFAULT 0,
  calls            integer NOT NULL DEFAULT 0,
  cost             numeric NOT NULL DEFAULT 0,
  write_seconds    float8 NOT NULL DEFAULT 0,
  updated_at       timestamptz NOT NULL DEFAULT now(),
  -- Seconds between sending a call and its answer, summed up.
  call_seconds     float8 NOT NULL DEFAULT 0,
  -- The key of the shared limit that the calls of this chunk have.
  limit_key        text,
  PRIMARY KEY (run_id, chunk_no)
) WITH (fillfactor = 50);

-- Ends a run when its chunks have ended.
CREATE TABLE public.scoring_run_jobs (
  id           uuid PRIMARY KEY DEFAULT rowrunner.new_id(),
  run_id       bigint NOT NULL,
  round        integer NOT NULL,
  status       text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'processing', 'succeeded', 'failed')),
  attempts     integer NOT NULL DEFAULT 0,
  max_attempts integer NOT NULL DEFAULT 10,
  last_error   text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  locked_at    timestamptz,
  locked_by    text,
  lease        bigint,
  priority     smallint NOT NULL DEFAULT 0,
  run_at       timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0.05);
CREATE UNIQUE INDEX scoring_run_jobs_of_run ON public.scoring_run_jobs (run_id, round);
SELECT rowrunner.attach('public.scoring_run_jobs', kind => 'scoring_run');

CREATE TABLE public.scoring_scores (
  run_id      bigint NOT NULL REFERENCES public.scoring_runs ON DELETE CASCADE,
  row_index   integer NOT NULL,
  block_index integer NOT NULL,
  -- One for each category of the block; NULL where there is none.
  scores      float8[] NOT NULL,
  provider    text NOT NULL,
  model       text NOT NULL,
  scored_at   timestamptz NOT NULL DEFAULT now(),
  -- Whether the run's spreadsheet has them; NULL if it has none, or must not get them.
  in_sheet    boolean,
  PRIMARY KEY (run_id, row_index, block_index)
);
CREATE INDEX scoring_scores_not_in_sheet ON public.scoring_scores (run_id, block_index, row_index) WHERE NOT in_sheet;

-- Rows that could not be scored, of runs that keep going.
CREATE TABLE public.scoring_failures (
  run_id      bigint NOT NULL REFERENCES public.scoring_runs ON DELETE CASCADE,
  row_index   integer NOT NULL,
  block_index integer NOT NULL,
  reason      text NOT NULL,
  failed_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (run_id, row_index, block_index)
);

-- Validated answers, by the hash of the question.
CREATE TABLE public.scoring_cache (
  key   text PRIMARY KEY,
  value jsonb NOT NULL,
  ts    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX scoring_cache_oldest ON public.scoring_cache (ts, key);

-- A question that a worker is asking just now. Others wait for its answer until the marker's time is over.
CREATE TABLE public.scoring_questions (
  key   text PRIMARY KEY,
  asker text NOT NULL,
  until timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

-- The budget of a run. A call is reserved before it is made, with the most that it can cost, and settled after it. What
-- a lost worker had reserved stays, as those calls may have been paid for.
CREATE TABLE public.scoring_budgets (
  run_id         bigint PRIMARY KEY REFERENCES public.scoring_runs ON DELETE CASCADE,
  max_calls      bigint,
  max_cost       numeric,
  calls          bigint NOT NULL DEFAULT 0,
  cost           numeric NOT NULL DEFAULT 0,
  -- How many of `calls` are under way: they may cost less than what is counted for them. The time is renewed by the
  -- workers that make them. After it the calls of a lost worker count as spent.
  reserved_calls bigint NOT NULL DEFAULT 0,
  reserved_until timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0.01);

-- Writes the scores of a run into a spreadsheet. PostgreSQL is the truth, the spreadsheet a projection: one job is its
-- only writer.
CREATE TABLE public.scoring_sheet_jobs (
  id             uuid PRIMARY KEY DEFAULT rowrunner.new_id(),
  run_id         bigint NOT NULL,
  spreadsheet_id text NOT NULL,
  tab            text NOT NULL,
  status         text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'processing', 'succeeded', 'failed')),
  attempts       integer NOT NULL DEFAULT 0,
  max_attempts   integer NOT NULL DEFAULT 5,
  last_error     text,
  created_at     timestamptz NOT NULL DEFAULT now(),
  updated_at     timestamptz NOT NULL DEFAULT now(),
  locked_at      timestamptz,
  locked_by      text,
  lease          bigint,
  priority       smallint NOT NULL DEFAULT 0,
  run_at         timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0.05);
CREATE UNIQUE INDEX scoring_sheet_jobs_of_run ON public.scoring_sheet_jobs (run_id);
CREATE INDEX scoring_sheet_jobs_of_sheet ON public.scoring_sheet_jobs (spreadsheet_id, tab);
SELECT rowrunner.attach('public.scoring_sheet_jobs', kind => 'scoring_sheet');

-- Rows whose utterance was not where it was when the run was made: their scores are not written.
CREATE TABLE public.scoring_moved_rows (
  run_id    bigint NOT NULL REFERENCES public.scoring_runs ON DELETE CASCADE,
  row_index integer NOT NULL,
  PRIMARY KEY (run_id, row_index)
);
