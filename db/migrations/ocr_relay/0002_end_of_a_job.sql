-- Nothing that an INSERT can say of a summary keeps a relay job from ending.

-- The constraint comes first, as an UPDATE before it would leave triggers to run; rows of before are put right then.
ALTER TABLE public.ocr_relay_jobs ADD CONSTRAINT ocr_relay_jobs_summary_wait
  CHECK (summary_wait BETWEEN interval '0' AND interval '10 days') NOT VALID;
UPDATE public.ocr_relay_jobs j SET summary_wait = DEFAULT
  WHERE NOT j.summary_wait BETWEEN interval '0' AND interval '10 days';

-- After the end of a relay job its summary waits only so long for deliveries, however the job has ended. Of what is
-- wrong with the summary (it does not wait any more, it is another job or none) the end of the job knows nothing. A
-- lock or a deadlock passes: that end is tried again.
CREATE OR REPLACE FUNCTION public.ocr_relay_ended() RETURNS trigger
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
