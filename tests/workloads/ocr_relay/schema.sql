-- What db/migrations/ocr_relay makes of an empty database; written by scripts/dump-schema.
CREATE FUNCTION public.ocr_relay_ended() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  PERFORM rowrunner.run_after('ocr_relay_summary', NEW.summary_id, 'ocr_relay', '{}', at_latest => NEW.summary_wait);
  RETURN NULL;
EXCEPTION
  WHEN object_not_in_prerequisite_state OR no_data_found THEN
    RETURN NULL;
  WHEN transaction_rollback OR lock_not_available OR insufficient_resources THEN
    RAISE;
  WHEN OTHERS THEN
    RAISE WARNING 'the summary of relay job % waits without an end: %', NEW.job_id, SQLERRM;
    RETURN NULL;
END
$$;
CREATE FUNCTION public.ocr_relay_page_read(relay uuid, page integer, non_order boolean, page_text text, meta json, payload json, in_order boolean) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  job CONSTANT public.ocr_relay_jobs := (SELECT j FROM public.ocr_relay_jobs j WHERE j.id = relay);
  made CONSTANT uuid := public.enqueue_webhook(
    job.webhook_url, payload, 'PAGE_RESULT', (SELECT t.token FROM public.ocr_relay_tokens t WHERE t.job = relay),
    'token', job.success_by, job.job_id);
  before uuid;
BEGIN
  INSERT INTO public.ocr_relay_pages (job, page_index, status, is_non_order_page, raw_text, meta_json, delivery)
    VALUES (relay, page, 'DONE', non_order, page_text, meta, made)
    ON CONFLICT (job, page_index) DO UPDATE
      SET status = 'DONE', is_non_order_page = excluded.is_non_order_page, raw_text = excluded.raw_text, error = NULL,
          meta_json = excluded.meta_json, delivery = excluded.delivery, updated_at = now();
  IF in_order THEN
    SELECT p.delivery INTO before FROM public.ocr_relay_pages p
      WHERE p.job = relay AND p.page_index < page AND p.delivery IS NOT NULL ORDER BY p.page_index DESC LIMIT 1;
    IF before IS NOT NULL THEN
      PERFORM rowrunner.run_after('webhook_delivery', made, 'webhook_delivery', ARRAY[before], 'run', '1 minute');
    END IF;
  END IF;
  BEGIN
    PERFORM rowrunner.run_after('ocr_relay_summary', job.summary_id, 'webhook_delivery', ARRAY[made]);
  EXCEPTION WHEN object_not_in_prerequisite_state THEN
    -- The job had ended and was queued again by hand: its summary has been sent.
    NULL;
  END;
  RETURN made;
END
$$;
CREATE FUNCTION public.ocr_relay_submit(order_id text, file_id text, prompt text, pattern text, masters json, webhook_url text, webhook_token text, success_by text, gemini json, options json, idempotency_key text, summary_wait interval, OUT job_id text, OUT correlation_id text) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  relay CONSTANT uuid := rowrunner.new_id();
  summary CONSTANT uuid := rowrunner.new_id();
  new_name CONSTANT text := format('job_%s_%s', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYYMMDD"T"HH24MISS'),
                                   left(replace(gen_random_uuid()::text, '-', ''), 12));
BEGIN
  INSERT INTO public.ocr_relay_jobs (id, job_id, order_id, file_id, prompt, pattern, masters_json, webhook_url,
                                     success_by, gemini_json, options_json, idempotency_key, summary_id, summary_wait)
    VALUES (relay, new_name, ocr_relay_submit.order_id, ocr_relay_submit.file_id, ocr_relay_submit.prompt,
            ocr_relay_submit.pattern, ocr_relay_submit.masters, ocr_relay_submit.webhook_url,
            ocr_relay_submit.success_by, ocr_relay_submit.gemini, ocr_relay_submit.options,
            ocr_relay_submit.idempotency_key, summary, ocr_relay_submit.summary_wait)
    ON CONFLICT (idempotency_key) DO NOTHING;
  IF NOT FOUND THEN
    SELECT j.job_id, j.order_id INTO ocr_relay_submit.job_id, ocr_relay_submit.correlation_id
      FROM public.ocr_relay_jobs j WHERE j.idempotency_key = ocr_relay_submit.idempotency_key;
    RETURN;
  END IF;
  INSERT INTO public.ocr_relay_tokens (job, token) VALUES (relay, ocr_relay_submit.webhook_token);
  INSERT INTO public.ocr_relay_summaries (id, relay) VALUES (summary, relay);
  PERFORM rowrunner.run_after('ocr_relay_summary', summary, 'ocr_relay', ARRAY[relay], when_failed => 'run');
  ocr_relay_submit.job_id := new_name;
  ocr_relay_submit.correlation_id := ocr_relay_submit.order_id;
END
$$;
CREATE TABLE public.ocr_relay_jobs (
    id uuid DEFAULT rowrunner.new_id() NOT NULL,
    job_id text NOT NULL,
    order_id text NOT NULL,
    file_id text NOT NULL,
    prompt text NOT NULL,
    pattern text,
    masters_json json NOT NULL,
    webhook_url text NOT NULL,
    success_by text DEFAULT 'status'::text NOT NULL,
    gemini_json json,
    options_json json,
    idempotency_key text NOT NULL,
    total_pages integer,
    summary_id uuid NOT NULL,
    summary_wait interval DEFAULT '00:10:00'::interval NOT NULL,
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
    CONSTRAINT ocr_relay_jobs_idempotency_key_check CHECK (((char_length(idempotency_key) >= 1) AND (char_length(idempotency_key) <= 500))),
    CONSTRAINT ocr_relay_jobs_order_id_check CHECK (((char_length(order_id) >= 1) AND (char_length(order_id) <= 500))),
    CONSTRAINT ocr_relay_jobs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text]))),
    CONSTRAINT ocr_relay_jobs_success_by_check CHECK ((success_by = ANY (ARRAY['status'::text, 'body'::text]))),
    CONSTRAINT ocr_relay_jobs_summary_wait CHECK (((summary_wait >= '00:00:00'::interval) AND (summary_wait <= '10 days'::interval)))
)
WITH (fillfactor='25', autovacuum_vacuum_scale_factor='0.05', toast_tuple_target='256');
CREATE TABLE public.ocr_relay_pages (
    job uuid NOT NULL,
    page_index integer NOT NULL,
    status text NOT NULL,
    is_non_order_page boolean DEFAULT false NOT NULL,
    raw_text text,
    error text,
    meta_json json,
    delivery uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ocr_relay_pages_page_index_check CHECK ((page_index > 0)),
    CONSTRAINT ocr_relay_pages_status_check CHECK ((status = ANY (ARRAY['DONE'::text, 'ERROR'::text])))
);
CREATE TABLE public.ocr_relay_summaries (
    id uuid DEFAULT rowrunner.new_id() NOT NULL,
    relay uuid NOT NULL,
    outcome text,
    payload json,
    status text DEFAULT 'queued'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    max_attempts integer DEFAULT 20 NOT NULL,
    last_error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    locked_at timestamp with time zone,
    locked_by text,
    lease bigint,
    priority smallint DEFAULT 0 NOT NULL,
    run_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ocr_relay_summaries_outcome_check CHECK ((outcome = ANY (ARRAY['DONE'::text, 'ERROR'::text]))),
    CONSTRAINT ocr_relay_summaries_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text])))
)
WITH (fillfactor='25', autovacuum_vacuum_scale_factor='0.05');
CREATE TABLE public.ocr_relay_tokens (
    job uuid NOT NULL,
    token text NOT NULL,
    CONSTRAINT ocr_relay_tokens_token_check CHECK (((octet_length(token) >= 1) AND (octet_length(token) <= 8192)))
);
ALTER TABLE ONLY public.ocr_relay_jobs
    ADD CONSTRAINT ocr_relay_jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.ocr_relay_pages
    ADD CONSTRAINT ocr_relay_pages_pkey PRIMARY KEY (job, page_index);
ALTER TABLE ONLY public.ocr_relay_summaries
    ADD CONSTRAINT ocr_relay_summaries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.ocr_relay_tokens
    ADD CONSTRAINT ocr_relay_tokens_pkey PRIMARY KEY (job);
CREATE UNIQUE INDEX ocr_relay_jobs_idempotency_key ON public.ocr_relay_jobs USING btree (idempotency_key);
CREATE UNIQUE INDEX ocr_relay_jobs_job_id ON public.ocr_relay_jobs USING btree (job_id);
CREATE INDEX ocr_relay_summaries_relay ON public.ocr_relay_summaries USING btree (relay);
CREATE TRIGGER ocr_relay_ended AFTER UPDATE OF status ON public.ocr_relay_jobs FOR EACH ROW WHEN (((old.status = ANY (ARRAY['queued'::text, 'processing'::text])) AND (new.status <> ALL (ARRAY['queued'::text, 'processing'::text])))) EXECUTE FUNCTION public.ocr_relay_ended();
CREATE TRIGGER rowrunner_delete AFTER DELETE ON public.ocr_relay_jobs REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_delete('1', 'ocr_relay', 'rowrunner.wakeup_ocr_relay');
CREATE TRIGGER rowrunner_delete AFTER DELETE ON public.ocr_relay_summaries REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_delete('2', 'ocr_relay_summary', 'rowrunner.wakeup_ocr_relay_summary');
CREATE TRIGGER rowrunner_insert AFTER INSERT ON public.ocr_relay_jobs REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_insert('1', 'ocr_relay', 'rowrunner.wakeup_ocr_relay');
CREATE TRIGGER rowrunner_insert AFTER INSERT ON public.ocr_relay_summaries REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_insert('2', 'ocr_relay_summary', 'rowrunner.wakeup_ocr_relay_summary');
CREATE TRIGGER rowrunner_parent_delete AFTER DELETE ON public.ocr_relay_jobs REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_parent_delete('1', 'ocr_relay', 'rowrunner.wakeup_ocr_relay');
CREATE TRIGGER rowrunner_parent_update AFTER UPDATE ON public.ocr_relay_jobs REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_parent_update('1', 'ocr_relay', 'rowrunner.wakeup_ocr_relay');
CREATE TRIGGER rowrunner_truncate AFTER TRUNCATE ON public.ocr_relay_jobs FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_truncate('1', 'ocr_relay', 'rowrunner.wakeup_ocr_relay');
CREATE TRIGGER rowrunner_truncate AFTER TRUNCATE ON public.ocr_relay_summaries FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_truncate('2', 'ocr_relay_summary', 'rowrunner.wakeup_ocr_relay_summary');
CREATE TRIGGER rowrunner_update AFTER UPDATE ON public.ocr_relay_jobs FOR EACH ROW WHEN (((new.status = ANY (ARRAY['queued'::text, 'failed'::text])) OR (old.status = 'failed'::text) OR ((new.status = 'processing'::text) AND ((new.lease IS NULL) OR (old.status <> ALL (ARRAY['queued'::text, 'processing'::text])))) OR ((old.status = 'queued'::text) AND (new.status <> 'processing'::text)) OR (new.id <> old.id))) EXECUTE FUNCTION rowrunner.on_update('1', 'ocr_relay', 'rowrunner.wakeup_ocr_relay');
CREATE TRIGGER rowrunner_update AFTER UPDATE ON public.ocr_relay_summaries FOR EACH ROW WHEN (((new.status = ANY (ARRAY['queued'::text, 'failed'::text])) OR (old.status = 'failed'::text) OR ((new.status = 'processing'::text) AND ((new.lease IS NULL) OR (old.status <> ALL (ARRAY['queued'::text, 'processing'::text])))) OR ((old.status = 'queued'::text) AND (new.status <> 'processing'::text)) OR (new.id <> old.id))) EXECUTE FUNCTION rowrunner.on_update('2', 'ocr_relay_summary', 'rowrunner.wakeup_ocr_relay_summary');
ALTER TABLE ONLY public.ocr_relay_pages
    ADD CONSTRAINT ocr_relay_pages_job_fkey FOREIGN KEY (job) REFERENCES public.ocr_relay_jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.ocr_relay_summaries
    ADD CONSTRAINT ocr_relay_summaries_relay_fkey FOREIGN KEY (relay) REFERENCES public.ocr_relay_jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.ocr_relay_tokens
    ADD CONSTRAINT ocr_relay_tokens_job_fkey FOREIGN KEY (job) REFERENCES public.ocr_relay_jobs(id) ON DELETE CASCADE;
GRANT USAGE ON SCHEMA public TO rowrunner_relay;
REVOKE ALL ON FUNCTION public.ocr_relay_ended() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.ocr_relay_page_read(relay uuid, page integer, non_order boolean, page_text text, meta json, payload json, in_order boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ocr_relay_page_read(relay uuid, page integer, non_order boolean, page_text text, meta json, payload json, in_order boolean) TO rowrunner_worker;
REVOKE ALL ON FUNCTION public.ocr_relay_submit(order_id text, file_id text, prompt text, pattern text, masters json, webhook_url text, webhook_token text, success_by text, gemini json, options json, idempotency_key text, summary_wait interval, OUT job_id text, OUT correlation_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ocr_relay_submit(order_id text, file_id text, prompt text, pattern text, masters json, webhook_url text, webhook_token text, success_by text, gemini json, options json, idempotency_key text, summary_wait interval, OUT job_id text, OUT correlation_id text) TO rowrunner_app;
GRANT ALL ON FUNCTION public.ocr_relay_submit(order_id text, file_id text, prompt text, pattern text, masters json, webhook_url text, webhook_token text, success_by text, gemini json, options json, idempotency_key text, summary_wait interval, OUT job_id text, OUT correlation_id text) TO rowrunner_worker;
GRANT SELECT,INSERT ON TABLE public.ocr_relay_jobs TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.ocr_relay_jobs TO rowrunner_worker;
GRANT SELECT(xmin) ON TABLE public.ocr_relay_jobs TO rowrunner_job_writer;
GRANT SELECT(id) ON TABLE public.ocr_relay_jobs TO rowrunner_job_writer;
GRANT SELECT(status),UPDATE(status) ON TABLE public.ocr_relay_jobs TO rowrunner_job_writer;
GRANT SELECT(attempts),UPDATE(attempts) ON TABLE public.ocr_relay_jobs TO rowrunner_job_writer;
GRANT SELECT(max_attempts) ON TABLE public.ocr_relay_jobs TO rowrunner_job_writer;
GRANT SELECT(last_error),UPDATE(last_error) ON TABLE public.ocr_relay_jobs TO rowrunner_job_writer;
GRANT SELECT(created_at) ON TABLE public.ocr_relay_jobs TO rowrunner_job_writer;
GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE public.ocr_relay_jobs TO rowrunner_job_writer;
GRANT UPDATE(locked_at) ON TABLE public.ocr_relay_jobs TO rowrunner_job_writer;
GRANT SELECT(locked_by),UPDATE(locked_by) ON TABLE public.ocr_relay_jobs TO rowrunner_job_writer;
GRANT SELECT(lease),UPDATE(lease) ON TABLE public.ocr_relay_jobs TO rowrunner_job_writer;
GRANT SELECT(priority) ON TABLE public.ocr_relay_jobs TO rowrunner_job_writer;
GRANT SELECT(run_at),UPDATE(run_at) ON TABLE public.ocr_relay_jobs TO rowrunner_job_writer;
GRANT SELECT ON TABLE public.ocr_relay_pages TO rowrunner_app;
GRANT SELECT,INSERT,UPDATE ON TABLE public.ocr_relay_pages TO rowrunner_worker;
GRANT SELECT,INSERT ON TABLE public.ocr_relay_summaries TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.ocr_relay_summaries TO rowrunner_worker;
GRANT SELECT(xmin) ON TABLE public.ocr_relay_summaries TO rowrunner_job_writer;
GRANT SELECT(id) ON TABLE public.ocr_relay_summaries TO rowrunner_job_writer;
GRANT SELECT(status),UPDATE(status) ON TABLE public.ocr_relay_summaries TO rowrunner_job_writer;
GRANT SELECT(attempts),UPDATE(attempts) ON TABLE public.ocr_relay_summaries TO rowrunner_job_writer;
GRANT SELECT(max_attempts) ON TABLE public.ocr_relay_summaries TO rowrunner_job_writer;
GRANT SELECT(last_error),UPDATE(last_error) ON TABLE public.ocr_relay_summaries TO rowrunner_job_writer;
GRANT SELECT(created_at) ON TABLE public.ocr_relay_summaries TO rowrunner_job_writer;
GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE public.ocr_relay_summaries TO rowrunner_job_writer;
GRANT UPDATE(locked_at) ON TABLE public.ocr_relay_summaries TO rowrunner_job_writer;
GRANT SELECT(locked_by),UPDATE(locked_by) ON TABLE public.ocr_relay_summaries TO rowrunner_job_writer;
GRANT SELECT(lease),UPDATE(lease) ON TABLE public.ocr_relay_summaries TO rowrunner_job_writer;
GRANT SELECT(priority) ON TABLE public.ocr_relay_summaries TO rowrunner_job_writer;
GRANT SELECT(run_at),UPDATE(run_at) ON TABLE public.ocr_relay_summaries TO rowrunner_job_writer;
GRANT INSERT ON TABLE public.ocr_relay_tokens TO rowrunner_app;
GRANT SELECT,INSERT ON TABLE public.ocr_relay_tokens TO rowrunner_worker;
