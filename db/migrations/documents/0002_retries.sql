-- At most three retries of a document job, by any route and by any role.

-- A job that is asked for again too often stays as it is: to callers it looks like a job that cannot be retried.
CREATE FUNCTION public.document_retried() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.retry_count >= 3 THEN
    RETURN NULL;
  END IF;
  NEW.retry_count := OLD.retry_count + 1;
  RETURN NEW;
END
$$;
CREATE TRIGGER document_retried BEFORE UPDATE OF status ON public.document_jobs FOR EACH ROW
  WHEN (OLD.status IN ('failed', 'cancelled') AND NEW.status = 'queued')
  EXECUTE FUNCTION public.document_retried();

-- Queues a failed or cancelled job again and answers how often it has been; NULL for a job in another status, or none.
-- 0: its retries are spent, which a failed job says from then on.
CREATE FUNCTION public.retry_document(job uuid) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
