-- The permissions of the workload documents, checked by every migrate as those of the engine are. What the server does
-- with documents it does as rowrunner_app; retries change columns that applications may not, as rowrunner_documents.
GRANT USAGE, CREATE ON SCHEMA public TO rowrunner_documents;
ALTER FUNCTION public.retry_document(uuid) OWNER TO rowrunner_documents;
REVOKE CREATE ON SCHEMA public FROM rowrunner_documents;
REVOKE ALL ON public.document_jobs FROM rowrunner_documents;
GRANT SELECT (id, status, retry_count), UPDATE (last_error, updated_at) ON public.document_jobs TO rowrunner_documents;
GRANT USAGE ON SCHEMA rowrunner TO rowrunner_documents;
GRANT EXECUTE ON FUNCTION rowrunner.requeue(text, uuid) TO rowrunner_documents;
REVOKE ALL ON public.documents, public.document_pages FROM PUBLIC, rowrunner_worker, rowrunner_app, rowrunner_documents;
REVOKE ALL ON FUNCTION public.folded_text(text), public.text_bigrams(text), public.document_retried(),
  public.retry_document(uuid) FROM PUBLIC, rowrunner_worker, rowrunner_app;
GRANT EXECUTE ON FUNCTION public.folded_text(text), public.text_bigrams(text) TO rowrunner_worker, rowrunner_app;
GRANT EXECUTE ON FUNCTION public.retry_document(uuid) TO rowrunner_app;
GRANT SELECT, INSERT ON public.documents TO rowrunner_app;
GRANT SELECT ON public.document_pages TO rowrunner_app;
REVOKE UPDATE, UPDATE (retry_count, last_error, updated_at) ON public.document_jobs FROM rowrunner_app;
GRANT SELECT ON public.documents TO rowrunner_worker;
GRANT SELECT, INSERT, UPDATE ON public.document_pages TO rowrunner_worker
