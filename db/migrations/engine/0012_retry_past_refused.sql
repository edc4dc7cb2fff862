-- Failed jobs that a trigger of their table refuses to queue again (their row stays failed) do not hide younger ones
-- from requeue_failed.

-- Queues up to `at_most` failed jobs of a kind again, the oldest failure first; says how many. Jobs that stay failed do
-- not count. Where a cancelled job is called failed, its error tells; it should not run again.
CREATE OR REPLACE FUNCTION rowrunner.requeue_failed(kind text, at_most integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mine rowrunner.kinds;
  job uuid;
  requeued bigint := 0;
BEGIN
  SELECT * INTO mine FROM rowrunner.kinds k WHERE k.kind = requeue_failed.kind;
  FOR job IN
    SELECT f.job_id FROM rowrunner.failures f
    WHERE f.kind = mine.id
      AND NOT (mine.cancelled_status = 'failed'
               AND coalesce(f.error = 'cancelled' OR f.error LIKE 'cancelled: %', false))
    ORDER BY f.failed_at, f.job_id
  LOOP
    EXIT WHEN requeued >= at_most;
    requeued := requeued + rowrunner.requeue(mine.kind, job)::integer;
  END LOOP;
  RETURN requeued;
END
$$;
