-- What db/migrations/documents makes of an empty database; written by scripts/dump-schema.
CREATE FUNCTION public.document_retried() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION public.folded_text(given text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(regexp_replace(lower(CASE WHEN (getdatabaseencoding() = 'UTF8'::name) THEN NORMALIZE(given, NFKC) ELSE given END), '\s+'::text, ' '::text, 'g'::text), '([^\x01-\x7f]) (?=[^\x01-\x7f])'::text, '\1'::text, 'g'::text);
CREATE FUNCTION public.retry_document(job uuid) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION public.text_bigrams(folded text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ARRAY(SELECT DISTINCT (pair.first || pair.second) FROM (SELECT letter.c AS first, lead(letter.c) OVER (ORDER BY letter.n) AS second FROM string_to_table(text_bigrams.folded, NULL::text) WITH ORDINALITY letter(c, n)) pair WHERE (pair.second IS NOT NULL));
CREATE TABLE public.document_jobs (
    id uuid DEFAULT rowrunner.new_id() NOT NULL,
    job_id text NOT NULL,
    job_type text DEFAULT 'document_ocr'::text NOT NULL,
    document_id uuid NOT NULL,
    user_id text NOT NULL,
    total_pages integer NOT NULL,
    retry_count integer DEFAULT 0 NOT NULL,
    status text DEFAULT 'queued'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    max_attempts integer DEFAULT 3 NOT NULL,
    last_error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    locked_at timestamp with time zone,
    locked_by text,
    lease bigint,
    priority smallint DEFAULT 0 NOT NULL,
    run_at timestamp with time zone DEFAULT now() NOT NULL,
    document_owner text,
    CONSTRAINT document_jobs_job_type_check CHECK ((job_type = ANY (ARRAY['document_ocr'::text, 'document_reprocess'::text]))),
    CONSTRAINT document_jobs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text])))
)
WITH (fillfactor='25', autovacuum_vacuum_scale_factor='0.05');
CREATE TABLE public.document_pages (
    document_id uuid NOT NULL,
    page integer NOT NULL,
    text text DEFAULT ''::text NOT NULL,
    folded text GENERATED ALWAYS AS (public.folded_text(text)) STORED NOT NULL,
    blank boolean DEFAULT false NOT NULL,
    confidence real,
    words jsonb,
    meta jsonb DEFAULT '{}'::jsonb NOT NULL,
    error text,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT document_pages_page_check CHECK ((page > 0))
);
CREATE TABLE public.documents (
    document_id uuid NOT NULL,
    title text NOT NULL,
    user_id text NOT NULL,
    total_pages integer NOT NULL,
    bytes bigint NOT NULL,
    file_key text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT documents_bytes_check CHECK ((bytes > 0)),
    CONSTRAINT documents_title_check CHECK (((char_length(title) >= 1) AND (char_length(title) <= 500))),
    CONSTRAINT documents_total_pages_check CHECK ((total_pages > 0)),
    CONSTRAINT documents_user_id_check CHECK (((char_length(user_id) >= 1) AND (char_length(user_id) <= 200)))
);
ALTER TABLE ONLY public.document_jobs
    ADD CONSTRAINT document_jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.document_pages
    ADD CONSTRAINT document_pages_pkey PRIMARY KEY (document_id, page);
ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (document_id);
CREATE UNIQUE INDEX document_jobs_job_id ON public.document_jobs USING btree (job_id);
CREATE INDEX document_jobs_of_document ON public.document_jobs USING btree (document_id, created_at);
CREATE INDEX document_pages_bigrams ON public.document_pages USING gin (public.text_bigrams(folded));
CREATE INDEX documents_newest ON public.documents USING btree (created_at, document_id);
CREATE INDEX documents_of_user ON public.documents USING btree (user_id, created_at, document_id);
CREATE TRIGGER document_retried BEFORE UPDATE OF status ON public.document_jobs FOR EACH ROW WHEN (((old.status = ANY (ARRAY['failed'::text, 'cancelled'::text])) AND (new.status = 'queued'::text))) EXECUTE FUNCTION public.document_retried();
CREATE TRIGGER rowrunner_delete AFTER DELETE ON public.document_jobs REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_delete('1', 'document', 'rowrunner.wakeup_document');
CREATE TRIGGER rowrunner_insert AFTER INSERT ON public.document_jobs REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_insert('1', 'document', 'rowrunner.wakeup_document');
CREATE TRIGGER rowrunner_parent_delete AFTER DELETE ON public.document_jobs REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_parent_delete('1', 'document', 'rowrunner.wakeup_document');
CREATE TRIGGER rowrunner_parent_update AFTER UPDATE ON public.document_jobs REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_parent_update('1', 'document', 'rowrunner.wakeup_document');
CREATE TRIGGER rowrunner_truncate AFTER TRUNCATE ON public.document_jobs FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_truncate('1', 'document', 'rowrunner.wakeup_document');
CREATE TRIGGER rowrunner_update AFTER UPDATE ON public.document_jobs FOR EACH ROW WHEN (((new.status = ANY (ARRAY['queued'::text, 'failed'::text])) OR (old.status = 'failed'::text) OR ((new.status = 'processing'::text) AND ((new.lease IS NULL) OR (old.status <> ALL (ARRAY['queued'::text, 'processing'::text])))) OR ((old.status = 'queued'::text) AND (new.status <> 'processing'::text)) OR (new.id <> old.id))) EXECUTE FUNCTION rowrunner.on_update('1', 'document', 'rowrunner.wakeup_document');
ALTER TABLE ONLY public.document_jobs
    ADD CONSTRAINT document_jobs_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.documents(document_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.document_pages
    ADD CONSTRAINT document_pages_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.documents(document_id) ON DELETE CASCADE;
GRANT USAGE ON SCHEMA public TO rowrunner_documents;
REVOKE ALL ON FUNCTION public.document_retried() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.folded_text(given text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.folded_text(given text) TO rowrunner_worker;
GRANT ALL ON FUNCTION public.folded_text(given text) TO rowrunner_app;
REVOKE ALL ON FUNCTION public.retry_document(job uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.retry_document(job uuid) TO rowrunner_app;
REVOKE ALL ON FUNCTION public.text_bigrams(folded text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.text_bigrams(folded text) TO rowrunner_worker;
GRANT ALL ON FUNCTION public.text_bigrams(folded text) TO rowrunner_app;
GRANT SELECT,INSERT ON TABLE public.document_jobs TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.document_jobs TO rowrunner_worker;
GRANT SELECT(xmin) ON TABLE public.document_jobs TO rowrunner_job_writer;
GRANT SELECT(id) ON TABLE public.document_jobs TO rowrunner_job_writer;
GRANT SELECT(id) ON TABLE public.document_jobs TO rowrunner_documents;
GRANT SELECT(retry_count) ON TABLE public.document_jobs TO rowrunner_documents;
GRANT SELECT(status),UPDATE(status) ON TABLE public.document_jobs TO rowrunner_job_writer;
GRANT SELECT(status) ON TABLE public.document_jobs TO rowrunner_documents;
GRANT SELECT(attempts),UPDATE(attempts) ON TABLE public.document_jobs TO rowrunner_job_writer;
GRANT SELECT(max_attempts) ON TABLE public.document_jobs TO rowrunner_job_writer;
GRANT SELECT(last_error),UPDATE(last_error) ON TABLE public.document_jobs TO rowrunner_job_writer;
GRANT UPDATE(last_error) ON TABLE public.document_jobs TO rowrunner_documents;
GRANT SELECT(created_at) ON TABLE public.document_jobs TO rowrunner_job_writer;
GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE public.document_jobs TO rowrunner_job_writer;
GRANT UPDATE(updated_at) ON TABLE public.document_jobs TO rowrunner_documents;
GRANT UPDATE(locked_at) ON TABLE public.document_jobs TO rowrunner_job_writer;
GRANT SELECT(locked_by),UPDATE(locked_by) ON TABLE public.document_jobs TO rowrunner_job_writer;
GRANT SELECT(lease),UPDATE(lease) ON TABLE public.document_jobs TO rowrunner_job_writer;
GRANT SELECT(priority) ON TABLE public.document_jobs TO rowrunner_job_writer;
GRANT SELECT(run_at),UPDATE(run_at) ON TABLE public.document_jobs TO rowrunner_job_writer;
GRANT SELECT ON TABLE public.document_pages TO rowrunner_app;
GRANT SELECT,INSERT,UPDATE ON TABLE public.document_pages TO rowrunner_worker;
GRANT SELECT,INSERT ON TABLE public.documents TO rowrunner_app;
GRANT SELECT ON TABLE public.documents TO rowrunner_worker;
