-- What a resumed run needs to tell its speed, calls that are reserved in a budget, and what the metrics sum up.

ALTER TABLE public.scoring_runs
  -- When this round began, and the blocks that were done then: the speed of a resumed run is that of its round.
  ADD COLUMN IF NOT EXISTS round_began_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN IF NOT EXISTS round_began_with bigint NOT NULL DEFAULT 0,
  -- Whether the sheet began with a byte order mark; the export then does, too.
  ADD COLUMN IF NOT EXISTS bom boolean NOT NULL DEFAULT false;
UPDATE public.scoring_runs SET round_began_at = created_at WHERE round = 1 AND round_began_at > created_at;

ALTER TABLE public.scoring_chunk_counts
  -- Seconds between sending a call and its answer, summed up.
  ADD COLUMN IF NOT EXISTS call_seconds float8 NOT NULL DEFAULT 0,
  -- The key of the shared limit that the calls of this chunk have.
  ADD COLUMN IF NOT EXISTS limit_key text;

ALTER TABLE public.scoring_budgets
  -- How many of `calls` are under way: they may cost less than what is counted for them. The time is renewed by the
  -- workers that make them. After it the calls of a lost worker count as spent.
  ADD COLUMN IF NOT EXISTS reserved_calls bigint NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS reserved_until timestamptz NOT NULL DEFAULT '-infinity';
