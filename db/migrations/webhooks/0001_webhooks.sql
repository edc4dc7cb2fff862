-- Webhooks: one event to one receiver is one job. Its id is the event's id, the same over all tries.

-- A row is written when it is enqueued, claimed and ended, and every try also writes the receiver's answer. The payload
-- and the answer are stored out of line, so that the rest stays small. `json` keeps the text as it was given: it
-- is what is sent and signed.
CREATE TABLE public.webhook_deliveries (
  id           uuid PRIMARY KEY DEFAULT rowrunner.new_id(),
  url          text NOT NULL CONSTRAINT webhook_deliveries_url
               CHECK (octet_length(url) <= 4096 AND url ~* '^https?://'),
  -- What happened, for people and lists.
  event        text NOT NULL DEFAULT '' CHECK (char_length(event) <= 200),
  payload      json NOT NULL CONSTRAINT webhook_deliveries_payload CHECK (json_typeof(payload) = 'object'),
  -- Its token is in webhook_tokens. It is sent as a bearer, and as this member of the body.
  has_token    boolean NOT NULL DEFAULT false,
  token_member text CHECK (char_length(token_member) BETWEEN 1 AND 100),
  -- Whether the text of a good answer can still mean a failure.
  success_by   text NOT NULL DEFAULT 'status' CHECK (success_by IN ('status', 'body')),
  -- What it is about, such as the id of an order.
  source       text CHECK (char_length(source) <= 500),
  -- A second enqueue under the same key gives the delivery that exists.
  event_key    text CHECK (char_length(event_key) BETWEEN 1 AND 500),
  -- How often it was sent again by hand: what an earlier sending has stored counts no longer.
  sends        integer NOT NULL DEFAULT 0,
  -- The receiver's last answer, up to 64 KiB of it.
  answer_status smallint,
  answer_body  text,
  answered_at  timestamptz,
  -- When the receiver first took it: sending it again does not change that.
  delivered_at timestamptz,
  status       text NOT NULL DEFAULT 'queued'
               CHECK (status IN ('queued', 'processing', 'succeeded', 'failed', 'cancelled')),
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
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0.05, toast_tuple_target = 256);
ALTER TABLE public.webhook_deliveries ALTER payload SET STORAGE EXTENDED, ALTER answer_body SET STORAGE EXTENDED;

CREATE UNIQUE INDEX webhook_deliveries_event_key ON public.webhook_deliveries (event_key);
CREATE INDEX webhook_deliveries_source ON public.webhook_deliveries (source, id) WHERE source IS NOT NULL;

-- Every role that may read jobs sees the rows of job tables, so tokens are kept apart.
CREATE TABLE public.webhook_tokens (
  delivery uuid PRIMARY KEY REFERENCES public.webhook_deliveries ON DELETE CASCADE,
  token    text NOT NULL CHECK (octet_length(token) BETWEEN 1 AND 8192)
);

-- The tries of one event last 75 hours; both are kept for longer.
SELECT rowrunner.attach('public.webhook_deliveries', kind => 'webhook_delivery', retention => '30 days',
                        failed_retention => '60 days', joins => true);

-- Enqueues a delivery in the caller's transaction, and answers its id: that of the delivery that exists if `event_key`
-- is known.
CREATE FUNCTION public.enqueue_webhook(url text, payload json, event text DEFAULT '', token text DEFAULT NULL,
                                       token_member text DEFAULT NULL, success_by text DEFAULT 'status',
                                       source text DEFAULT NULL, event_key text DEFAULT NULL, id uuid DEFAULT NULL)
RETURNS uuid LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

-- Sends an event once more that was delivered, failed or was cancelled: under the same id, with new tries. False if
-- there is no such delivery, or it is still being tried.
CREATE FUNCTION public.send_webhook_again(delivery uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE public.webhook_deliveries d SET sends = d.sends + 1
    WHERE d.id = delivery AND d.status IN ('succeeded', 'failed', 'cancelled');
  RETURN FOUND AND rowrunner.enqueue_again('webhook_delivery', delivery);
END
$$;
