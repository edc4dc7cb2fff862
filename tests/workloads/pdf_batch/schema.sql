-- What db/migrations/pdf_batch makes of an empty database; written by scripts/dump-schema.
CREATE TABLE public.pdf_batch_jobs (
    id uuid DEFAULT rowrunner.new_id() NOT NULL,
    job_id text NOT NULL,
    pdf_path text NOT NULL,
    bucket_name text,
    sent_at text,
    user_id text,
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
    CONSTRAINT pdf_batch_jobs_job_id_text CHECK (((job_id ~ '^[A-Za-z0-9._-]{1,200}$'::text) AND (job_id <> ALL (ARRAY['.'::text, '..'::text])))),
    CONSTRAINT pdf_batch_jobs_pdf_path_text CHECK (((octet_length(pdf_path) >= 1) AND (octet_length(pdf_path) <= 900))),
    CONSTRAINT pdf_batch_jobs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text])))
)
WITH (fillfactor='25', autovacuum_vacuum_scale_factor='0.05');
CREATE TABLE public.pdf_batch_rejected (
    id bigint NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    source text NOT NULL,
    message_id text,
    reason text NOT NULL,
    data text NOT NULL,
    CONSTRAINT pdf_batch_rejected_source_check CHECK ((source = ANY (ARRAY['push'::text, 'pull'::text])))
);
ALTER TABLE public.pdf_batch_rejected ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.pdf_batch_rejected_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.pdf_batch_uploads (
    job_id text NOT NULL,
    user_id text NOT NULL,
    bytes bigint,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    stored_at timestamp with time zone,
    upload uuid,
    CONSTRAINT pdf_batch_uploads_job_id_text CHECK (((job_id ~ '^[A-Za-z0-9._-]{1,200}$'::text) AND (job_id <> ALL (ARRAY['.'::text, '..'::text]))))
);
ALTER TABLE ONLY public.pdf_batch_jobs
    ADD CONSTRAINT pdf_batch_jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.pdf_batch_rejected
    ADD CONSTRAINT pdf_batch_rejected_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.pdf_batch_uploads
    ADD CONSTRAINT pdf_batch_uploads_pkey PRIMARY KEY (job_id);
CREATE UNIQUE INDEX pdf_batch_jobs_job_id_unique ON public.pdf_batch_jobs USING btree (job_id);
CREATE INDEX pdf_batch_rejected_received_at ON public.pdf_batch_rejected USING btree (received_at);
CREATE INDEX pdf_batch_uploads_created_at ON public.pdf_batch_uploads USING btree (created_at);
CREATE TRIGGER rowrunner_delete AFTER DELETE ON public.pdf_batch_jobs REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_delete('1', 'pdf_batch', 'rowrunner.wakeup_pdf_batch');
CREATE TRIGGER rowrunner_insert AFTER INSERT ON public.pdf_batch_jobs REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_insert('1', 'pdf_batch', 'rowrunner.wakeup_pdf_batch');
CREATE TRIGGER rowrunner_truncate AFTER TRUNCATE ON public.pdf_batch_jobs FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_truncate('1', 'pdf_batch', 'rowrunner.wakeup_pdf_batch');
CREATE TRIGGER rowrunner_update AFTER UPDATE ON public.pdf_batch_jobs FOR EACH ROW WHEN (((new.status = ANY (ARRAY['queued'::text, 'failed'::text])) OR (old.status = 'failed'::text) OR ((new.status = 'processing'::text) AND ((new.lease IS NULL) OR (old.status <> ALL (ARRAY['queued'::text, 'processing'::text])))) OR ((old.status = 'queued'::text) AND (new.status <> 'processing'::text)) OR (new.id <> old.id))) EXECUTE FUNCTION rowrunner.on_update('1', 'pdf_batch', 'rowrunner.wakeup_pdf_batch');
GRANT SELECT,INSERT ON TABLE public.pdf_batch_jobs TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.pdf_batch_jobs TO rowrunner_worker;
GRANT SELECT(xmin) ON TABLE public.pdf_batch_jobs TO rowrunner_job_writer;
GRANT SELECT(id) ON TABLE public.pdf_batch_jobs TO rowrunner_job_writer;
GRANT SELECT(status),UPDATE(status) ON TABLE public.pdf_batch_jobs TO rowrunner_job_writer;
GRANT SELECT(attempts),UPDATE(attempts) ON TABLE public.pdf_batch_jobs TO rowrunner_job_writer;
GRANT SELECT(max_attempts) ON TABLE public.pdf_batch_jobs TO rowrunner_job_writer;
GRANT SELECT(last_error),UPDATE(last_error) ON TABLE public.pdf_batch_jobs TO rowrunner_job_writer;
GRANT SELECT(created_at) ON TABLE public.pdf_batch_jobs TO rowrunner_job_writer;
GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE public.pdf_batch_jobs TO rowrunner_job_writer;
GRANT UPDATE(locked_at) ON TABLE public.pdf_batch_jobs TO rowrunner_job_writer;
GRANT SELECT(locked_by),UPDATE(locked_by) ON TABLE public.pdf_batch_jobs TO rowrunner_job_writer;
GRANT SELECT(lease),UPDATE(lease) ON TABLE public.pdf_batch_jobs TO rowrunner_job_writer;
GRANT SELECT(priority) ON TABLE public.pdf_batch_jobs TO rowrunner_job_writer;
GRANT SELECT(run_at),UPDATE(run_at) ON TABLE public.pdf_batch_jobs TO rowrunner_job_writer;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.pdf_batch_rejected TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.pdf_batch_uploads TO rowrunner_app;
