-- What db/migrations/webhooks makes of an empty database; written by scripts/dump-schema.
CREATE FUNCTION public.enqueue_webhook(url text, payload json, event text DEFAULT ''::text, token text DEFAULT NULL::text, token_member text DEFAULT NULL::text, success_by text DEFAULT 'status'::text, source text DEFAULT NULL::text, event_key text DEFAULT NULL::text, id uuid DEFAULT NULL::uuid) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  made uuid;
BEGIN
  INSERT INTO public.webhook_deliveries (id, url, payload, event, has_token, token_member, success_by, source,
                                         event_key)
    VALUES (coalesce(enqueue_webhook.id, rowrunner.new_id()), enqueue_webhook.url, enqueue_webhook.payload,
            enqueue_webhook.event, enqueue_webhook.token IS NOT NULL, enqueue_webhook.token_member,
            enqueue_webhook.success_by, enqueue_webhook.source, enqueue_webhook.event_key)
    ON CONFLICT (event_key) DO NOTHING RETURNING webhook_deliveries.id INTO made;
  IF made IS NOT NULL AND enqueue_webhook.token IS NOT NULL THEN
    INSERT INTO public.webhook_tokens (delivery, token) VALUES (made, enqueue_webhook.token);
  ELSIF made IS NULL THEN
    SELECT d.id INTO made FROM public.webhook_deliveries d WHERE d.event_key = enqueue_webhook.event_key;
  END IF;
  RETURN made;
END
$$;
CREATE FUNCTION public.send_webhook_again(delivery uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  UPDATE public.webhook_deliveries d SET sends = d.sends + 1
    WHERE d.id = delivery AND d.status IN ('succeeded', 'failed', 'cancelled');
  RETURN FOUND AND rowrunner.enqueue_again('webhook_delivery', delivery);
END
$$;
CREATE TABLE public.webhook_deliveries (
    id uuid DEFAULT rowrunner.new_id() NOT NULL,
    url text NOT NULL,
    event text DEFAULT ''::text NOT NULL,
    payload json NOT NULL,
    has_token boolean DEFAULT false NOT NULL,
    token_member text,
    success_by text DEFAULT 'status'::text NOT NULL,
    source text,
    event_key text,
    sends integer DEFAULT 0 NOT NULL,
    answer_status smallint,
    answer_body text,
    answered_at timestamp with time zone,
    delivered_at timestamp with time zone,
    status text DEFAULT 'queued'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    max_attempts integer DEFAULT 10 NOT NULL,
    last_error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    locked_at timestamp with time zone,
    locked_by text,
    lease bigint,
    priority smallint DEFAULT 0 NOT NULL,
    run_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT webhook_deliveries_event_check CHECK ((char_length(event) <= 200)),
    CONSTRAINT webhook_deliveries_event_key_check CHECK (((char_length(event_key) >= 1) AND (char_length(event_key) <= 500))),
    CONSTRAINT webhook_deliveries_payload CHECK ((json_typeof(payload) = 'object'::text)),
    CONSTRAINT webhook_deliveries_source_check CHECK ((char_length(source) <= 500)),
    CONSTRAINT webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text]))),
    CONSTRAINT webhook_deliveries_success_by_check CHECK ((success_by = ANY (ARRAY['status'::text, 'body'::text]))),
    CONSTRAINT webhook_deliveries_token_member_check CHECK (((char_length(token_member) >= 1) AND (char_length(token_member) <= 100))),
    CONSTRAINT webhook_deliveries_url CHECK (((octet_length(url) <= 4096) AND (url ~* '^https?://'::text)))
)
WITH (fillfactor='25', autovacuum_vacuum_scale_factor='0.05', toast_tuple_target='256');
CREATE TABLE public.webhook_tokens (
    delivery uuid NOT NULL,
    token text NOT NULL,
    CONSTRAINT webhook_tokens_token_check CHECK (((octet_length(token) >= 1) AND (octet_length(token) <= 8192)))
);
ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_tokens
    ADD CONSTRAINT webhook_tokens_pkey PRIMARY KEY (delivery);
CREATE UNIQUE INDEX webhook_deliveries_event_key ON public.webhook_deliveries USING btree (event_key);
CREATE INDEX webhook_deliveries_source ON public.webhook_deliveries USING btree (source, id) WHERE (source IS NOT NULL);
CREATE TRIGGER rowrunner_delete AFTER DELETE ON public.webhook_deliveries REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_delete('1', 'webhook_delivery', 'rowrunner.wakeup_webhook_delivery');
CREATE TRIGGER rowrunner_insert AFTER INSERT ON public.webhook_deliveries REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_insert('1', 'webhook_delivery', 'rowrunner.wakeup_webhook_delivery');
CREATE TRIGGER rowrunner_parent_delete AFTER DELETE ON public.webhook_deliveries REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_parent_delete('1', 'webhook_delivery', 'rowrunner.wakeup_webhook_delivery');
CREATE TRIGGER rowrunner_parent_update AFTER UPDATE ON public.webhook_deliveries REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_parent_update('1', 'webhook_delivery', 'rowrunner.wakeup_webhook_delivery');
CREATE TRIGGER rowrunner_truncate AFTER TRUNCATE ON public.webhook_deliveries FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_truncate('1', 'webhook_delivery', 'rowrunner.wakeup_webhook_delivery');
CREATE TRIGGER rowrunner_update AFTER UPDATE ON public.webhook_deliveries FOR EACH ROW WHEN (((new.status = ANY (ARRAY['queued'::text, 'failed'::text])) OR (old.status = 'failed'::text) OR ((new.status = 'processing'::text) AND ((new.lease IS NULL) OR (old.status <> ALL (ARRAY['queued'::text, 'processing'::text])))) OR ((old.status = 'queued'::text) AND (new.status <> 'processing'::text)) OR (new.id <> old.id))) EXECUTE FUNCTION rowrunner.on_update('1', 'webhook_delivery', 'rowrunner.wakeup_webhook_delivery');
ALTER TABLE ONLY public.webhook_tokens
    ADD CONSTRAINT webhook_tokens_delivery_fkey FOREIGN KEY (delivery) REFERENCES public.webhook_deliveries(id) ON DELETE CASCADE;
GRANT USAGE ON SCHEMA public TO rowrunner_webhooks;
REVOKE ALL ON FUNCTION public.enqueue_webhook(url text, payload json, event text, token text, token_member text, success_by text, source text, event_key text, id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.enqueue_webhook(url text, payload json, event text, token text, token_member text, success_by text, source text, event_key text, id uuid) TO rowrunner_app;
GRANT ALL ON FUNCTION public.enqueue_webhook(url text, payload json, event text, token text, token_member text, success_by text, source text, event_key text, id uuid) TO rowrunner_worker;
REVOKE ALL ON FUNCTION public.send_webhook_again(delivery uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.send_webhook_again(delivery uuid) TO rowrunner_app;
GRANT ALL ON FUNCTION public.send_webhook_again(delivery uuid) TO rowrunner_worker;
GRANT SELECT,INSERT ON TABLE public.webhook_deliveries TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_deliveries TO rowrunner_worker;
GRANT SELECT(xmin) ON TABLE public.webhook_deliveries TO rowrunner_job_writer;
GRANT SELECT(id) ON TABLE public.webhook_deliveries TO rowrunner_job_writer;
GRANT SELECT(id) ON TABLE public.webhook_deliveries TO rowrunner_webhooks;
GRANT SELECT(sends),UPDATE(sends) ON TABLE public.webhook_deliveries TO rowrunner_webhooks;
GRANT SELECT(status),UPDATE(status) ON TABLE public.webhook_deliveries TO rowrunner_job_writer;
GRANT SELECT(status) ON TABLE public.webhook_deliveries TO rowrunner_webhooks;
GRANT SELECT(attempts),UPDATE(attempts) ON TABLE public.webhook_deliveries TO rowrunner_job_writer;
GRANT SELECT(max_attempts) ON TABLE public.webhook_deliveries TO rowrunner_job_writer;
GRANT SELECT(last_error),UPDATE(last_error) ON TABLE public.webhook_deliveries TO rowrunner_job_writer;
GRANT SELECT(created_at) ON TABLE public.webhook_deliveries TO rowrunner_job_writer;
GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE public.webhook_deliveries TO rowrunner_job_writer;
GRANT UPDATE(locked_at) ON TABLE public.webhook_deliveries TO rowrunner_job_writer;
GRANT SELECT(locked_by),UPDATE(locked_by) ON TABLE public.webhook_deliveries TO rowrunner_job_writer;
GRANT SELECT(lease),UPDATE(lease) ON TABLE public.webhook_deliveries TO rowrunner_job_writer;
GRANT SELECT(priority) ON TABLE public.webhook_deliveries TO rowrunner_job_writer;
GRANT SELECT(run_at),UPDATE(run_at) ON TABLE public.webhook_deliveries TO rowrunner_job_writer;
GRANT INSERT ON TABLE public.webhook_tokens TO rowrunner_app;
GRANT SELECT,INSERT ON TABLE public.webhook_tokens TO rowrunner_worker;
