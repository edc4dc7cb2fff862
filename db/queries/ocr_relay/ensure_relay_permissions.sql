-- The permissions of the relay, checked by every migrate as those of the engine are. Its trigger runs as
-- rowrunner_relay, which may do nothing else.
GRANT USAGE, CREATE ON SCHEMA public TO rowrunner_relay;
ALTER FUNCTION public.ocr_relay_ended() OWNER TO rowrunner_relay;
REVOKE CREATE ON SCHEMA public FROM rowrunner_relay;
GRANT USAGE ON SCHEMA rowrunner TO rowrunner_relay;
GRANT EXECUTE ON FUNCTION rowrunner.run_after(text, uuid, text, uuid[], text, interval) TO rowrunner_relay;
REVOKE ALL ON FUNCTION public.ocr_relay_ended(),
  public.ocr_relay_submit(text, text, text, text, json, text, text, text, json, json, text, interval),
  public.ocr_relay_page_read(uuid, integer, boolean, text, json, json, boolean)
  FROM PUBLIC, rowrunner_worker, rowrunner_app;
GRANT EXECUTE ON FUNCTION
  public.ocr_relay_submit(text, text, text, text, json, text, text, text, json, json, text, interval)
  TO rowrunner_app, rowrunner_worker;
GRANT EXECUTE ON FUNCTION public.ocr_relay_page_read(uuid, integer, boolean, text, json, json, boolean)
  TO rowrunner_worker;
REVOKE ALL ON public.ocr_relay_tokens, public.ocr_relay_pages
  FROM PUBLIC, rowrunner_relay, rowrunner_worker, rowrunner_app;
-- Applications give tokens and do not see them.
GRANT INSERT ON public.ocr_relay_tokens TO rowrunner_app, rowrunner_worker;
GRANT SELECT ON public.ocr_relay_tokens TO rowrunner_worker;
GRANT SELECT ON public.ocr_relay_pages TO rowrunner_app;
GRANT SELECT, INSERT, UPDATE ON public.ocr_relay_pages TO rowrunner_worker
