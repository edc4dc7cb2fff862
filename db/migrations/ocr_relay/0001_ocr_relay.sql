-- The relay: a PDF is read page by page, and each page and a summary go to a webhook.
--
-- Columns have the names of the document that asked for it; counts are not stored but computed from rows. The columns
-- from status on are the engine's.

CREATE TABLE public.ocr_relay_jobs (
  id              uuid PRIMARY KEY DEFAULT rowrunner.new_id(),
  job_id          text NOT NULL,
  order_id        text NOT NULL CHECK (char_length(order_id) BETWEEN 1 AND 500),
  file_id         text NOT NULL,
  prompt          text NOT NULL,
  pattern         text,
  masters_json    json NOT NULL,
  webhook_url     text NOT NULL,
  success_by      text NOT NULL DEFAULT 'status' CHECK (success_by IN ('status', 'body')),
  gemini_json     json,
  options_json    json,
  idempotency_key text NOT NULL CHECK (char_length(idempotency_key) BETWEEN 1 AND 500),
  total_pages     integer,
  -- The job that sends the summary, and how long it waits for deliveries after the last page.
  summary_id      uuid NOT NULL,
  summary_wait    interval NOT NULL DEFAULT '10 minutes'
                  CONSTRAINT ocr_relay_jobs_summary_wait
                  CHECK (summary_wait BETWEEN interval '0' AND interval '10 days'),
  status          text NOT NULL DEFAULT 'queued'
                  CHECK (status IN ('queued', 'processing', 'succeeded', 'failed', 'cancelled')),
  attempts        integer NOT NULL DEFAULT 0,
  max_attempts    integer NOT NULL DEFAULT 3,
  last_error      text,
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  locked_at       timestamptz,
  locked_by       text,
  lease           bigint,
  priority        smallint NOT NULL DEFAULT 0,
  run_at          timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0.05, toast_tuple_target = 256);
CREATE UNIQUE INDEX ocr_relay_jobs_job_id ON public.ocr_relay_jobs (job_id);
CREATE UNIQUE INDEX ocr_relay_jobs_idempotency_key ON public.ocr_relay_jobs (idempotency_key);

-- Deliveries are kept for longer than the job that they belong to: its counts are computed from them.
SELECT rowrunner.attach('public.ocr_relay_jobs', kind => 'ocr_relay', retention => '14 days',
                        failed_retention => '14 days', joins => true, public_id => 'job_id');

-- Every role that may read jobs sees the rows of job tables, so the token of the webhook is kept apart.
CREATE TABLE public.ocr_relay_tokens (
  job   uuid PRIMARY KEY REFERENCES public.ocr_relay_jobs ON DELETE CASCADE,
  token text NOT NULL CHECK (octet_length(token) BETWEEN 1 AND 8192)
);

CREATE TABLE public.ocr_relay_pages (
  job               uuid NOT NULL REFERENCES public.ocr_relay_jobs ON DELETE CASCADE,
  page_index        integer NOT NULL CHECK (page_index > 0),
  status            text NOT NULL CHECK (status IN ('DONE', 'ERROR')),
  is_non_order_page boolean NOT NULL DEFAULT false,
  raw_text          text,
  error             text,
  meta_json         json,
  -- Its PAGE_RESULT, a job of the kind webhook_delivery.
  delivery          uuid,
  created_at        timestamptz NOT NULL DEFAULT now(),
  updated_at        timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (job, page_index)
);

-- One job for each relay job, which waits for it and for the deliveries of its pages, and then sends the summary.
CREATE TABLE public.ocr_relay_summaries (
  id           uuid PRIMARY KEY DEFAULT rowrunner.new_id(),
  relay        uuid NOT NULL REFERENCES public.ocr_relay_jobs ON DELETE CASCADE,
  -- What it said: DONE or ERROR, and the payload.
  outcome      text CHECK (outcome IN ('DONE', 'ERROR')),
  payload      json,
  status       text NOT NULL DEFAULT 'queued'
               CHECK (status IN ('queued', 'processing', 'succeeded', 'failed', 'cancelled')),
  attempts     integer NOT NULL DEFAULT 0,
  max_attempts integer NOT NULL DEFAULT 20,
  last_error   text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  locked_at    timestamptz,
  locked_by    text,
  lease        bigint,
  priority     smallint NOT NULL DEFAULT 0,
  run_at       timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX ocr_relay_summaries_relay ON public.ocr_relay_summaries (relay);
SELECT rowrunner.attach('public.ocr_relay_summaries', kind => 'ocr_relay_summary', retention => '15 days',
                        failed_retention => '15 days');

-- Takes a job, or finds the one that has its idempotency key: two requests at once get the same one. The summary waits
-- from the first moment, so that every end of the job sends it.
CREATE FUNCTION public.ocr_relay_submit(order_id text, file_id text, prompt text, pattern text, masters json,
                                        webhook_url text, webhook_token text, success_by text, gemini json,
                                        options json, idempotency_key text, summary_wait interval,
                                        OUT job_id text, OUT correlation_id text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- The effect of a page that was read: its row and its delivery, for which the summary waits. With `in_order` the
-- delivery waits for that of the page before, at most a minute, so that a receiver gets them in order as long as it
-- takes them.
CREATE FUNCTION public.ocr_relay_page_read(relay uuid, page integer, non_order boolean, page_text text, meta json,
                                           payload json, in_order boolean)
RETURNS uuid LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- After the end of a relay job its summary waits only so long for deliveries, however the job has ended. Of what is
-- wrong with the summary (it does not wait any more, it is another job or none) the end of the job knows nothing. A
-- lock or a deadlock passes: that end is tried again.
CREATE FUNCTION public.ocr_relay_ended() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
CREATE TRIGGER ocr_relay_ended AFTER UPDATE OF status ON public.ocr_relay_jobs FOR EACH ROW
  WHEN (OLD.status IN ('queued', 'processing') AND NEW.status NOT IN ('queued', 'processing'))
  EXECUTE FUNCTION public.ocr_relay_ended();
