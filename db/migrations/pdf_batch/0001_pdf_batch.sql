-- PDF files that are analysed page by page: one job a file, known to its senders by its job_id.

-- A job_id is a segment of the path of its result, so it must not be one that leads elsewhere. status has the words of
-- the engine; answers translate them into the document's (pending, processing, completed, failed).
--
-- An error ends a job at once. Attempts count only workers that were lost before they had stored another page.
CREATE TABLE public.pdf_batch_jobs (
  id           uuid PRIMARY KEY DEFAULT rowrunner.new_id(),
  job_id       text NOT NULL
               CONSTRAINT pdf_batch_jobs_job_id_text
               CHECK (job_id ~ '^[A-Za-z0-9._-]{1,200}$' AND job_id NOT IN ('.', '..')),
  pdf_path     text NOT NULL
               CONSTRAINT pdf_batch_jobs_pdf_path_text CHECK (octet_length(pdf_path) BETWEEN 1 AND 900),
  bucket_name  text,
  -- The timestamp of the message, as it was written there.
  sent_at      text,
  user_id      text,
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
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0.05);

CREATE UNIQUE INDEX pdf_batch_jobs_job_id_unique ON public.pdf_batch_jobs (job_id);

SELECT rowrunner.attach('public.pdf_batch_jobs', kind => 'pdf_batch', owner => 'user_id', public_id => 'job_id');

-- Which user owns the file uploads/{job_id}/document.pdf, from before its first byte: no other user may replace it, or
-- have it analysed under a job of their own.
CREATE TABLE public.pdf_batch_uploads (
  job_id     text PRIMARY KEY
             CONSTRAINT pdf_batch_uploads_job_id_text
             CHECK (job_id ~ '^[A-Za-z0-9._-]{1,200}$' AND job_id NOT IN ('.', '..')),
  user_id    text NOT NULL,
  bytes      bigint,
  created_at timestamptz NOT NULL DEFAULT now(),
  stored_at  timestamptz,
  -- Of two uploads of a file, the one that began last counts; the other one is refused when it ends.
  upload     uuid
);
CREATE INDEX pdf_batch_uploads_created_at ON public.pdf_batch_uploads (created_at);

-- Messages of Pub/Sub that are no job: acknowledged, since they would be delivered for ever, and kept here.
CREATE TABLE public.pdf_batch_rejected (
  id          bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  received_at timestamptz NOT NULL DEFAULT now(),
  source      text NOT NULL CHECK (source IN ('push', 'pull')),
  message_id  text,
  reason      text NOT NULL,
  data        text NOT NULL
);
CREATE INDEX pdf_batch_rejected_received_at ON public.pdf_batch_rejected (received_at);
