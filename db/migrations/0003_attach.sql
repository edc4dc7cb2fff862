-- The calls that make a table a job table, and an ordinary one again.

-- What a job table must have. `default_needed` columns must work when an INSERT leaves them out.
CREATE FUNCTION rowrunner.job_columns()
RETURNS TABLE (name text, type text, not_null boolean, default_needed boolean)
LANGUAGE sql IMMUTABLE AS $$
  VALUES ('id', 'uuid', true, true),
         ('status', 'text', true, true),
         ('attempts', 'integer', true, true),
         ('max_attempts', 'integer', true, true),
         ('last_error', 'text', false, false),
         ('created_at', 'timestamp with time zone', true, true),
         ('updated_at', 'timestamp with time zone', true, true),
         ('locked_at', 'timestamp with time zone', false, false),
         ('locked_by', 'text', false, false),
         ('lease', 'bigint', false, false),
         ('priority', 'smallint', true, true),
         ('run_at', 'timestamp with time zone', true, true)
$$;

-- Everything that keeps a table from being a job table, one sentence each.
CREATE FUNCTION rowrunner.attach_problems(job_table regclass) RETURNS SETOF text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT format('column %s is missing (%s%s)', c.name, c.type, CASE WHEN c.not_null THEN ' NOT NULL' ELSE '' END)
  FROM rowrunner.job_columns() c
  WHERE NOT EXISTS (SELECT FROM pg_attribute a
                    WHERE a.attrelid = job_table AND a.attname = c.name AND NOT a.attisdropped)
  UNION ALL
  SELECT format('column %s is %s, must be %s', c.name, format_type(a.atttypid, a.atttypmod), c.type)
  FROM rowrunner.job_columns() c
  JOIN pg_attribute a ON a.attrelid = job_table AND a.attname = c.name AND NOT a.attisdropped
  WHERE format_type(a.atttypid, NULL) <> c.type
  UNION ALL
  SELECT format('column %s must be NOT NULL', c.name)
  FROM rowrunner.job_columns() c
  JOIN pg_attribute a ON a.attrelid = job_table AND a.attname = c.name AND NOT a.attisdropped
  WHERE c.not_null AND NOT a.attnotnull
  UNION ALL
  SELECT format('column %s needs a default', c.name)
  FROM rowrunner.job_columns() c
  JOIN pg_attribute a ON a.attrelid = job_table AND a.attname = c.name AND NOT a.attisdropped
  WHERE c.default_needed AND NOT a.atthasdef
  UNION ALL
  SELECT 'id must be the primary key'
  WHERE EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = job_table AND a.attname = 'id' AND NOT a.attisdropped)
    AND NOT EXISTS (SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = job_table AND a.attname = 'id'
                    WHERE i.indrelid = job_table AND i.indisprimary
                      AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum)
  UNION ALL
  -- An index over a column that changes would make each transition write into every index.
  SELECT DISTINCT format('index %s uses column %s, which changes while a job runs: drop the index',
                         d.objid::regclass, a.attname)
  FROM pg_index i
  JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = i.indexrelid
                  AND d.refclassid = 'pg_class'::regclass AND d.refobjid = i.indrelid
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = d.refobjsubid
  WHERE i.indrelid = job_table
    AND a.attname IN ('status', 'attempts', 'last_error', 'updated_at', 'locked_at', 'locked_by',
                      'lease', 'priority', 'run_at')
  UNION ALL
  SELECT format('%s is not an ordinary table', job_table)
  FROM pg_class WHERE oid = job_table AND relkind <> 'r'
$$;

-- Makes a table a job table: SELECT rowrunner.attach('my_jobs', kind => 'my_kind').
-- Rows that are queued already get their place. Calling it again for the same pair is fine and makes
-- the triggers anew.
CREATE FUNCTION rowrunner.attach(job_table regclass, kind text, retention interval DEFAULT NULL)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  problems text;
  mine rowrunner.kinds;
  flag text;
  mark text;
  cancelled_word text;
  arguments text;
BEGIN
  SELECT string_agg(p, E'\n') INTO problems FROM rowrunner.attach_problems(attach.job_table) p;
  IF problems IS NOT NULL THEN
    RAISE EXCEPTION '% cannot be attached: %', attach.job_table, replace(problems, E'\n', '; ')
      USING ERRCODE = 'invalid_table_definition',
            HINT = 'SELECT * FROM rowrunner.job_columns() lists what a job table needs.';
  END IF;
  EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', attach.job_table);

  -- A CHECK on status that does not know 'cancelled' says which word to use instead.
  SELECT CASE WHEN bool_or(pg_get_constraintdef(c.oid) LIKE '%''queued''%'
                          AND pg_get_constraintdef(c.oid) NOT LIKE '%''cancelled''%') THEN 'failed'
              ELSE 'cancelled' END
    INTO cancelled_word
    FROM pg_constraint c
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attname = 'status' AND a.attnum = ANY (c.conkey)
    WHERE c.conrelid = attach.job_table AND c.contype = 'c';

  SELECT * INTO mine FROM rowrunner.kinds k
    WHERE k.kind = attach.kind OR k.job_table = attach.job_table;
  IF NOT FOUND THEN
    IF attach.kind !~ '^[a-z][a-z0-9_]{0,47}$' THEN
      RAISE EXCEPTION 'kind % is not a name of lower case letters, digits and _ (48 at most)',
        quote_literal(attach.kind) USING ERRCODE = 'invalid_name';
    END IF;
    flag := format('rowrunner.wakeup_%s', attach.kind);
    mark := format('rowrunner.reached_%s', attach.kind);
    EXECUTE format('CREATE SEQUENCE %s', flag);
    EXECUTE format('CREATE SEQUENCE %s', mark);
    INSERT INTO rowrunner.kinds (kind, job_table, cancelled_status, wakeup, reached, retention)
      VALUES (attach.kind, attach.job_table, cancelled_word, flag::regclass, mark::regclass,
              attach.retention)
      RETURNING * INTO mine;
    EXECUTE format('INSERT INTO rowrunner.queue SELECT %s, priority, nextval(''rowrunner.back_of_line''), id'
                   ' FROM %s WHERE status = ''queued'' AND run_at <= now() ORDER BY created_at',
                   mine.id, mine.job_table);
    EXECUTE format('INSERT INTO rowrunner.delayed SELECT %s, run_at, priority, id'
                   ' FROM %s WHERE status = ''queued'' AND run_at > now()', mine.id, mine.job_table);
    -- What is processing already belongs to nobody that the engine knows: it gets leases that have
    -- expired, and the next rescue takes it back.
    EXECUTE format('UPDATE %s SET lease = rowrunner.new_lease() WHERE status = ''processing''',
                   mine.job_table);
    EXECUTE format('INSERT INTO rowrunner.leases (lease, kind, worker, expires_at, job_ids)'
                   ' SELECT lease, %s, coalesce(locked_by, ''unknown''), now(), ARRAY[id]'
                   ' FROM %s WHERE status = ''processing''', mine.id, mine.job_table);
    EXECUTE format('INSERT INTO rowrunner.failures (kind, job_id, failed_at, attempts, error)'
                   ' SELECT %s, id, updated_at, attempts, last_error FROM %s WHERE status = ''failed''',
                   mine.id, mine.job_table);
  ELSIF mine.kind <> attach.kind OR mine.job_table <> attach.job_table THEN
    RAISE EXCEPTION '% is attached as % already, so % cannot be attached as %',
      mine.job_table, mine.kind, attach.job_table, attach.kind USING ERRCODE = 'duplicate_object';
  ELSE
    UPDATE rowrunner.kinds k SET cancelled_status = cancelled_word,
                                 retention = coalesce(attach.retention, k.retention)
      WHERE k.id = mine.id;
  END IF;

  arguments := format('(%L, %L, %L)', mine.id, mine.kind, mine.wakeup);
  EXECUTE format('CREATE OR REPLACE TRIGGER rowrunner_insert AFTER INSERT ON %s'
    ' REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT'
    ' EXECUTE FUNCTION rowrunner.on_insert%s', mine.job_table, arguments);
  EXECUTE format('CREATE OR REPLACE TRIGGER rowrunner_update AFTER UPDATE ON %s FOR EACH ROW'
    ' WHEN (NEW.status IN (''queued'', ''failed'') OR OLD.status = ''failed'''
    '       OR (NEW.status = ''processing'' AND (NEW.lease IS NULL OR OLD.status NOT IN (''queued'', ''processing'')))'
    '       OR NEW.id <> OLD.id)'
    ' EXECUTE FUNCTION rowrunner.on_update%s', mine.job_table, arguments);
  EXECUTE format('CREATE OR REPLACE TRIGGER rowrunner_delete AFTER DELETE ON %s'
    ' REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT'
    ' EXECUTE FUNCTION rowrunner.on_delete%s', mine.job_table, arguments);
  EXECUTE format('CREATE OR REPLACE TRIGGER rowrunner_truncate AFTER TRUNCATE ON %s'
    ' EXECUTE FUNCTION rowrunner.on_truncate%s', mine.job_table, arguments);
  EXECUTE format('GRANT SELECT, INSERT ON %s TO rowrunner_app', mine.job_table);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO rowrunner_worker', mine.job_table);
  EXECUTE format('GRANT SELECT, UPDATE ON SEQUENCE %s, %s TO rowrunner_worker', mine.wakeup, mine.reached);
END
$$;

-- Takes a table out of the engine. The rows stay as they are; running jobs must have ended.
CREATE FUNCTION rowrunner.detach(kind text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mine rowrunner.kinds;
  event text;
BEGIN
  SELECT * INTO mine FROM rowrunner.kinds k WHERE k.kind = detach.kind FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'unknown kind %', detach.kind USING ERRCODE = 'undefined_object';
  END IF;
  EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', mine.job_table);
  IF EXISTS (SELECT FROM rowrunner.leases l WHERE l.kind = mine.id) THEN
    RAISE EXCEPTION 'kind % has running jobs', detach.kind
      USING ERRCODE = 'object_in_use', HINT = 'Pause the kind and wait until its jobs have ended.';
  END IF;
  FOREACH event IN ARRAY ARRAY['insert', 'update', 'delete', 'truncate'] LOOP
    EXECUTE format('DROP TRIGGER IF EXISTS rowrunner_%s ON %s', event, mine.job_table);
  END LOOP;
  DELETE FROM rowrunner.queue q WHERE q.kind = mine.id;
  DELETE FROM rowrunner.delayed d WHERE d.kind = mine.id;
  DELETE FROM rowrunner.failures f WHERE f.kind = mine.id;
  DELETE FROM rowrunner.counters c WHERE c.kind = mine.id;
  DELETE FROM rowrunner.kinds k WHERE k.id = mine.id;
  EXECUTE format('DROP SEQUENCE %s, %s', mine.wakeup, mine.reached);
END
$$;
