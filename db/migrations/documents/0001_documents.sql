-- Documents whose pages are read: the documents, the text of their pages with an index that finds words of two
-- characters, and the jobs that read them.

CREATE TABLE public.documents (
  document_id uuid PRIMARY KEY,
  title       text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 500),
  user_id     text NOT NULL CHECK (char_length(user_id) BETWEEN 1 AND 200),
  total_pages integer NOT NULL CHECK (total_pages > 0),
  bytes       bigint NOT NULL CHECK (bytes > 0),
  -- Where it lies in the storage.
  file_key    text NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX documents_newest ON public.documents (created_at, document_id);
CREATE INDEX documents_of_user ON public.documents (user_id, created_at, document_id);

-- The text as it is compared in a search: width and case do not count (Ａ is a), and neither do the spaces that OCR
-- puts between Japanese characters. A database in another encoding than UTF8 has no normal forms; the encoding of a
-- database does not change, so that the function is immutable all the same.
CREATE FUNCTION public.folded_text(given text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN regexp_replace(
         regexp_replace(lower(CASE WHEN getdatabaseencoding() = 'UTF8' THEN normalize(given, NFKC) ELSE given END),
                        '\s+', ' ', 'g'),
         '([^\x01-\x7f]) (?=[^\x01-\x7f])', '\1', 'g');

-- Every two characters that follow each other. Trigrams would find no word of two characters, as many Japanese words
-- are: an index of them is scanned from end to end for 東京.
CREATE FUNCTION public.text_bigrams(folded text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN ARRAY(SELECT DISTINCT pair.first || pair.second
             FROM (SELECT letter.c AS first, lead(letter.c) OVER (ORDER BY letter.n) AS second
                   FROM string_to_table(folded, NULL) WITH ORDINALITY AS letter (c, n)) pair
             WHERE pair.second IS NOT NULL);

-- A page that was read, or that could not be. Written with the step of its page, so that it exists once and with its
-- text.
CREATE TABLE public.document_pages (
  document_id uuid NOT NULL REFERENCES public.documents ON DELETE CASCADE,
  page        integer NOT NULL CHECK (page > 0),
  text        text NOT NULL DEFAULT '',
  folded      text NOT NULL GENERATED ALWAYS AS (public.folded_text(text)) STORED,
  blank       boolean NOT NULL DEFAULT false,
  -- 0 to 100; of a page that was read by a provider that tells it.
  confidence  real,
  -- Each word with its confidence and its box, for the layer of text over the page.
  words       jsonb,
  meta        jsonb NOT NULL DEFAULT '{}',
  -- Why it could not be read.
  error       text,
  updated_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (document_id, page)
);
CREATE INDEX document_pages_bigrams ON public.document_pages USING gin (public.text_bigrams(folded));

CREATE TABLE public.document_jobs (
  id           uuid PRIMARY KEY DEFAULT rowrunner.new_id(),
  -- What clients know it by: the type and a uuid.
  job_id       text NOT NULL,
  job_type     text NOT NULL DEFAULT 'document_ocr' CHECK (job_type IN ('document_ocr', 'document_reprocess')),
  document_id  uuid NOT NULL REFERENCES public.documents ON DELETE CASCADE,
  user_id      text NOT NULL,
  total_pages  integer NOT NULL,
  -- How often it was queued again after it had failed or was cancelled.
  retry_count  integer NOT NULL DEFAULT 0,
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
  run_at       timestamptz NOT NULL DEFAULT now(),
  -- Whose document it is, of a job that an admin has started: its owner may follow and cancel it, too.
  document_owner text
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0.05);
CREATE UNIQUE INDEX document_jobs_job_id ON public.document_jobs (job_id);
CREATE INDEX document_jobs_of_document ON public.document_jobs (document_id, created_at);

-- The status of a job is answered for 24 hours after it has ended. The document and its text stay.
SELECT rowrunner.attach('public.document_jobs', kind => 'document', retention => interval '24 hours',
                        failed_retention => interval '24 hours', joins => true, owner => 'user_id',
                        co_owner => 'document_owner', public_id => 'job_id');

-- At most three retries of a document job, by any route and by any role.

-- A job that is asked for again too often stays as it is. Callers of the engine's functions hear so from their answer,
-- and those of a requeue_failed that passes over many such jobs need no warning about each.
CREATE FUNCTION public.document_retried() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.retry_count >= 3 THEN
    IF current_user <> 'rowrunner_job_writer' THEN
      RAISE WARNING 'document job % stays %: it was retried % times, and can be retried 3 times', OLD.job_id,
        OLD.status, OLD.retry_count
        USING HINT = format('To have the document read again, POST /admin/documents/%s/reprocess; to allow this job'
                            ' more retries, set its retry_count to 0 first.', OLD.document_id);
    END IF;
    RETURN NULL;
  END IF;
  NEW.retry_count := OLD.retry_count + 1;
  RETURN NEW;
END
$$;
CREATE TRIGGER document_retried BEFORE UPDATE OF status ON public.document_jobs FOR EACH ROW
  WHEN (OLD.status IN ('failed', 'cancelled') AND NEW.status = 'queued')
  EXECUTE FUNCTION public.document_retried();

-- Queues a failed or cancelled job again and answers how often it has been; NULL for a job in another status, or none.
-- 0: its retries are spent, which a failed job says from then on.
CREATE FUNCTION public.retry_document(job uuid) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mine record;
BEGIN
  SELECT j.status, j.retry_count INTO mine FROM public.document_jobs j
    WHERE j.id = retry_document.job AND j.status IN ('failed', 'cancelled') FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  IF rowrunner.requeue('document', retry_document.job) THEN
    RETURN mine.retry_count + 1;
  END IF;
  UPDATE public.document_jobs j SET last_error = 'Exceeded max retries (3)', updated_at = now()
    WHERE j.id = retry_document.job AND j.status = 'failed';
  RETURN 0;
END
$$;
