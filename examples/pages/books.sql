-- A job table whose jobs are books, and what their pages leave behind.
CREATE TABLE public.books (
  title        text NOT NULL UNIQUE,
  pages        integer NOT NULL CHECK (pages > 0),

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
) WITH (fillfactor = 25);

-- Without a unique key: that each page is here once is what a step with effects is for.
CREATE TABLE public.pages_read (title text NOT NULL, page integer NOT NULL, words text NOT NULL);

SELECT rowrunner.attach('public.books', kind => 'book');
