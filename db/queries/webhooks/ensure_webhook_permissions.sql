-- The permissions of webhooks, checked by every migrate as those of the engine are. Sending again changes one column,
-- which applications may not do by themselves.
GRANT USAGE, CREATE ON SCHEMA public TO rowrunner_webhooks;
ALTER FUNCTION public.send_webhook_again(uuid) OWNER TO rowrunner_webhooks;
REVOKE CREATE ON SCHEMA public FROM rowrunner_webhooks;
REVOKE ALL ON public.webhook_deliveries FROM rowrunner_webhooks;
GRANT SELECT (id, status, sends), UPDATE (sends) ON public.webhook_deliveries TO rowrunner_webhooks;
GRANT USAGE ON SCHEMA rowrunner TO rowrunner_webhooks;
GRANT EXECUTE ON FUNCTION rowrunner.enqueue_again(text, uuid, timestamptz) TO rowrunner_webhooks;
-- Applications give tokens and do not see them.
REVOKE ALL ON public.webhook_tokens FROM PUBLIC, rowrunner_webhooks, rowrunner_worker, rowrunner_app;
GRANT INSERT ON public.webhook_tokens TO rowrunner_app, rowrunner_worker;
GRANT SELECT ON public.webhook_tokens TO rowrunner_worker;
REVOKE ALL ON FUNCTION public.send_webhook_again(uuid),
  public.enqueue_webhook(text, json, text, text, text, text, text, text, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.send_webhook_again(uuid),
  public.enqueue_webhook(text, json, text, text, text, text, text, text, uuid) TO rowrunner_app, rowrunner_worker
