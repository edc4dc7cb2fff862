-- A step with effects for workers in other languages.

-- Stores the result of a step if it has none yet. True: stored now, and the caller adds the step's effects in this
-- transaction; false: it was stored before, with its effects; NULL: the lease is lost. The lock on the job's row keeps
-- a rescue from slipping in before the commit, and lets two calls for the same step come one after the other. It is not
-- FOR SHARE: two transactions whose effects update the row would deadlock.
CREATE OR REPLACE FUNCTION rowrunner.add_step(kind text, job_id uuid, lease bigint, step text,
                                              result jsonb DEFAULT 'null')
RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mine rowrunner.kinds := rowrunner.kind_named(add_step.kind);
  held boolean;
  n integer;
BEGIN
  PERFORM rowrunner.refuse_unless(add_step.step <> '', 'step is NULL or empty, must be a name',
                                  'A later attempt finds the result by this name.');
  PERFORM rowrunner.refuse_unless(octet_length(add_step.step) <= 1000,
                                  format('the name of the step has %s bytes, must have at most 1000',
                                         octet_length(add_step.step)),
                                  'Put what it is about into the result.');
  EXECUTE format('SELECT true FROM %s j WHERE j.id = $1 AND j.status = ''processing'' AND j.lease = $2'
                 ' FOR NO KEY UPDATE', mine.job_table)
    INTO held USING add_step.job_id, add_step.lease;
  IF held IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO rowrunner.steps AS s (kind, job_id, step, result)
    VALUES (mine.id, add_step.job_id, add_step.step, coalesce(add_step.result, 'null'))
    ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n = 1;
END
$$;
