-- A column of the job table that is gone cannot be mistaken for a call of a function.

-- AFTER INSERT, once per statement. Arguments: kind id, kind name, wake-up flag.
--
-- An enqueue of one row pays for every statement that its triggers run. The usual row, queued and due,
-- costs one: whether there are others is found out by the statement that adds the entries, and told by a
-- setting, which lasts until then. And to set search_path for a call, and back, costs as much as adding a
-- queue entry: instead everything is named with its schema, operators included, so that nothing of the
-- caller's can stand in for it. Columns are taken from the rows by their bare names: `i.priority` of a row
-- without that column would be the function priority(i), which the caller's search_path finds. A column of
-- the job table may have the name of a variable.
CREATE OR REPLACE FUNCTION rowrunner.on_insert() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER AS $$
#variable_conflict use_variable
DECLARE
  my_kind CONSTANT smallint := TG_ARGV[0];
BEGIN
  INSERT INTO rowrunner.queue (kind, priority, seq, job_id)
    SELECT my_kind, i.priority, pg_catalog.nextval('rowrunner.queue_back'), i.id
    FROM (SELECT id, status, priority, run_at FROM inserted) i
    WHERE CASE WHEN pg_catalog.pg_typeof(i.id) OPERATOR(pg_catalog.<>) 'pg_catalog.uuid'::pg_catalog.regtype
                 OR pg_catalog.pg_typeof(i.status) OPERATOR(pg_catalog.<>) 'pg_catalog.text'::pg_catalog.regtype
                 OR pg_catalog.pg_typeof(i.priority) OPERATOR(pg_catalog.<>) 'pg_catalog.int2'::pg_catalog.regtype
                 OR pg_catalog.pg_typeof(i.run_at) OPERATOR(pg_catalog.<>)
                    'pg_catalog.timestamptz'::pg_catalog.regtype
               THEN rowrunner.refuse_types()
               WHEN i.status OPERATOR(pg_catalog.=) 'queued'
                AND i.run_at OPERATOR(pg_catalog.<=) pg_catalog.now() THEN true
               ELSE pg_catalog.set_config('rowrunner.others_inserted', 'yes', true) IS NULL END;
  IF pg_catalog.current_setting('rowrunner.others_inserted', true) OPERATOR(pg_catalog.=) 'yes' THEN
    PERFORM pg_catalog.set_config('rowrunner.others_inserted', 'no', true);
    IF EXISTS (SELECT FROM (SELECT status FROM inserted) i WHERE i.status OPERATOR(pg_catalog.=) 'processing') THEN
      RAISE EXCEPTION 'a job cannot be inserted as processing: only a claim makes it so'
        USING ERRCODE = 'check_violation', HINT = 'Leave status out, or insert ''queued''.';
    END IF;
    INSERT INTO rowrunner.delayed (kind, run_at, priority, job_id)
      SELECT my_kind, i.run_at, i.priority, i.id
      FROM (SELECT id, status, priority, run_at FROM inserted) i
      WHERE i.status OPERATOR(pg_catalog.=) 'queued' AND i.run_at OPERATOR(pg_catalog.>) pg_catalog.now()
        AND i.run_at OPERATOR(pg_catalog.<) 'infinity';
    INSERT INTO rowrunner.failures (kind, job_id, attempts, error)
      SELECT my_kind, i.id, i.attempts, i.last_error
      FROM (SELECT id, status, attempts, last_error FROM inserted) i
      WHERE CASE WHEN pg_catalog.pg_typeof(i.attempts) OPERATOR(pg_catalog.<>)
                      'pg_catalog.int4'::pg_catalog.regtype
                   OR pg_catalog.pg_typeof(i.last_error) OPERATOR(pg_catalog.<>)
                      'pg_catalog.text'::pg_catalog.regtype
                 THEN rowrunner.refuse_types()
                 ELSE i.status OPERATOR(pg_catalog.=) 'failed' END;
  END IF;
  -- The test of rowrunner.wake, before the call of it.
  IF pg_catalog.pg_sequence_last_value(TG_ARGV[2]::pg_catalog.regclass) OPERATOR(pg_catalog.>)
     (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000) THEN
    PERFORM rowrunner.wake(TG_ARGV[2]::pg_catalog.regclass, TG_ARGV[1]);
  END IF;
  RETURN NULL;
END
$$;
