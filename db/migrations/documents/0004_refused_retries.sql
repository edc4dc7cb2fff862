-- An UPDATE by hand that asks for a fourth retry of a document job says why it changes nothing.

-- A job that is asked for again too often stays as it is. Callers of the engine's functions hear so from their answer,
-- and those of a requeue_failed that passes over many such jobs need no warning about each.
CREATE OR REPLACE FUNCTION public.document_retried() RETURNS trigger
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
