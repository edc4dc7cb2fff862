-- What a table must look like to be a job table. docs/job-tables.md explains it.

-- What a job table must have. `default_needed` columns must work when an INSERT leaves them out;
-- `usual_default` is the default that attach gives to a column that it adds.
CREATE FUNCTION rowrunner.job_columns()
RETURNS TABLE (name text, type text, not_null boolean, default_needed boolean, usual_default text)
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  VALUES ('id', 'uuid', true, true, 'rowrunner.new_id()'),
         ('status', 'text', true, true, '''queued'''),
         ('attempts', 'integer', true, true, '0'),
         ('max_attempts', 'integer', true, true, '3'),
         ('last_error', 'text', false, false, NULL),
         ('created_at', 'timestamp with time zone', true, true, 'now()'),
         ('updated_at', 'timestamp with time zone', true, true, 'now()'),
         ('locked_at', 'timestamp with time zone', false, false, NULL),
         ('locked_by', 'text', false, false, NULL),
         ('lease', 'bigint', false, false, NULL),
         ('priority', 'smallint', true, true, '0'),
         ('run_at', 'timestamp with time zone', true, true, 'now()')
$$;

-- Those that a table lacks, in this order.
CREATE FUNCTION rowrunner.missing_columns(job_table regclass)
RETURNS TABLE (name text, type text, not_null boolean, usual_default text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT c.name, c.type, c.not_null, c.usual_default
  FROM rowrunner.job_columns() WITH ORDINALITY c (name, type, not_null, default_needed, usual_default, n)
  WHERE NOT EXISTS (SELECT FROM pg_attribute a
                    WHERE a.attrelid = job_table AND a.attname = c.name AND NOT a.attisdropped)
  ORDER BY c.n
$$;

-- What keeps a relation from being a job table, apart from its columns.
CREATE FUNCTION rowrunner.table_problems(job_table regclass) RETURNS SETOF text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT format('%s is not an ordinary table but a %s', job_table,
                CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
                               WHEN 'p' THEN 'partitioned table' WHEN 'f' THEN 'foreign table'
                               ELSE 'relation of kind ' || c.relkind::text END)
  FROM pg_class c WHERE c.oid = job_table AND c.relkind <> 'r'
  UNION ALL
  -- Statement triggers do not fire for rows that come in through another table.
  SELECT format('it is %s %s, and INSERTs there would not be seen',
                CASE WHEN c.relispartition THEN 'a partition of' ELSE 'an inheritance child of' END,
                i.inhparent::regclass)
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhrelid = job_table
  UNION ALL
  SELECT format('%s inherits from it, and INSERTs there would not be seen', i.inhrelid::regclass)
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhparent
  WHERE i.inhparent = job_table AND c.relkind <> 'p'
  UNION ALL
  SELECT 'it is a temporary table, which no worker sees'
  FROM pg_class c WHERE c.oid = job_table AND c.relpersistence = 't'
  UNION ALL
  SELECT format('it is unlogged, and a crash of the server would lose its jobs: ALTER TABLE %s SET LOGGED',
                job_table)
  FROM pg_class c WHERE c.oid = job_table AND c.relpersistence = 'u'
  UNION ALL
  SELECT format('row level security is on, which hides jobs from workers:'
                ' ALTER TABLE %s DISABLE ROW LEVEL SECURITY', job_table)
  FROM pg_class c WHERE c.oid = job_table AND c.relrowsecurity
  UNION ALL
  SELECT format('rule %s changes what is written: use a trigger instead', quote_ident(r.rulename))
  FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
  WHERE r.ev_class = job_table AND c.relkind IN ('r', 'p')
$$;

-- What is wrong with the columns of a table that is to be a job table, apart from those that it lacks.
CREATE FUNCTION rowrunner.column_problems(job_table regclass) RETURNS SETOF text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  WITH needed AS (
    SELECT c.*, a.attname, a.attnotnull, a.atthasdef, a.attgenerated, a.attidentity,
           format_type(a.atttypid, a.atttypmod) AS found, format_type(a.atttypid, NULL) AS found_type
    FROM rowrunner.job_columns() WITH ORDINALITY c (name, type, not_null, default_needed, usual_default, n)
    JOIN pg_attribute a ON a.attrelid = job_table AND a.attname = c.name AND NOT a.attisdropped
    ORDER BY c.n
  )
  SELECT format('column %s is %s, must be %s', name, found, type)
         || CASE WHEN name = 'id' AND found IN ('bigint', 'integer', 'smallint')
                 THEN ': keep the number as a further column' ELSE '' END
  FROM needed WHERE found_type <> type
  UNION ALL
  SELECT format('column %s must be NOT NULL', name) FROM needed WHERE not_null AND NOT attnotnull
  UNION ALL
  SELECT format('column %s is %s, but the engine writes it', name,
                CASE WHEN attgenerated <> '' THEN 'generated' ELSE 'an identity column' END)
  FROM needed WHERE attgenerated <> '' OR attidentity <> ''
  UNION ALL
  SELECT format('column %s needs a default', name)
  FROM needed WHERE default_needed AND NOT atthasdef AND attidentity = ''
  UNION ALL
  SELECT 'id must be the primary key'
  FROM needed WHERE name = 'id'
    AND NOT EXISTS (SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = job_table AND a.attname = 'id'
                    WHERE i.indrelid = job_table AND i.indisprimary AND i.indimmediate
                      AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum)
$$;

-- The indexes that use a column which changes while a job runs: each transition would write into every index.
CREATE FUNCTION rowrunner.changing_indexes(job_table regclass)
RETURNS TABLE (index_name regclass, column_name name, is_unique boolean)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT DISTINCT d.objid::regclass, a.attname, i.indisunique
  FROM pg_index i
  JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = i.indexrelid
                  AND d.refclassid = 'pg_class'::regclass AND d.refobjid = i.indrelid
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = d.refobjsubid
  WHERE i.indrelid = job_table
    AND a.attname IN ('status', 'attempts', 'last_error', 'updated_at', 'locked_at', 'locked_by',
                      'lease', 'priority', 'run_at')
$$;

-- Whether a default or CHECK can be tried without running a table owner's code with the caller's permissions:
-- it depends on nothing but its table, and calls only built-in functions that do nothing but compute.
CREATE FUNCTION rowrunner.only_computes(expression pg_node_tree, catalog regclass, entry oid,
                                        job_table regclass) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT NOT EXISTS (SELECT FROM pg_depend d
                     WHERE d.classid = catalog AND d.objid = entry
                       AND NOT (d.refclassid = 'pg_class'::regclass AND d.refobjid = job_table))
     AND NOT EXISTS (SELECT FROM regexp_matches(expression::text, ':(funcid|opno) (\d+)', 'g') used
                     LEFT JOIN pg_operator o ON used[1] = 'opno' AND o.oid = used[2]::oid
                     JOIN pg_proc p ON p.oid = coalesce(o.oprcode::oid, used[2]::oid)
                     WHERE p.provolatile <> 'i'
                       AND p.proname NOT IN ('now', 'transaction_timestamp', 'statement_timestamp',
                                             'clock_timestamp', 'timestamptz_pl_interval',
                                             'timestamptz_mi_interval'))
$$;

-- The CHECK constraint over status alone that refuses a status, if there is one that can be evaluated.
CREATE FUNCTION rowrunner.refuses_status(job_table regclass, wanted text) RETURNS name
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  checked record;
  fits boolean;
BEGIN
  FOR checked IN
    SELECT c.conname, pg_get_expr(c.conbin, c.conrelid) AS expression
    FROM pg_constraint c
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attname = 'status' AND c.conkey = ARRAY[a.attnum]
    WHERE c.conrelid = job_table AND c.contype = 'c' AND a.atttypid = 'text'::regtype
      AND rowrunner.only_computes(c.conbin, 'pg_constraint', c.oid, job_table)
  LOOP
    BEGIN
      EXECUTE format('SELECT (%s) IS NOT FALSE FROM (SELECT $1 AS status) job', checked.expression)
        INTO fits USING wanted;
    EXCEPTION WHEN OTHERS THEN
      fits := false;  -- and so would the UPDATE fail
    END;
    IF NOT fits THEN
      RETURN checked.conname;
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;

-- What is wrong with the values that a job begins with and takes on.
CREATE FUNCTION rowrunner.value_problems(job_table regclass) RETURNS SETOF text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  found record;
  fits boolean;
BEGIN
  FOR found IN
    SELECT wanted.*, c.usual_default, pg_get_expr(d.adbin, d.adrelid) AS expression,
           rowrunner.only_computes(d.adbin, 'pg_attrdef', d.oid, job_table) AS can_be_tried
    FROM (VALUES ('status', '= ''queued'''), ('attempts', '= 0'), ('max_attempts', '> 0'),
                 ('priority', 'IS NOT NULL'), ('run_at', '<= now()')) AS wanted (name, test)
    JOIN rowrunner.job_columns() c ON c.name = wanted.name
    JOIN pg_attribute a ON a.attrelid = job_table AND a.attname = c.name AND a.attgenerated = ''
                       AND format_type(a.atttypid, NULL) = c.type
    JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  LOOP
    fits := found.name <> 'status';
    IF found.can_be_tried THEN
      BEGIN
        EXECUTE format('SELECT (%s) %s', found.expression, found.test) INTO fits;
      EXCEPTION WHEN OTHERS THEN
        fits := false;
      END;
    END IF;
    IF fits IS NOT TRUE THEN
      RETURN NEXT format('the default of %1$s is %2$s: ALTER TABLE %3$s ALTER COLUMN %1$s SET DEFAULT %4$s',
                         found.name, found.expression, job_table, found.usual_default);
    END IF;
  END LOOP;
  RETURN QUERY
    SELECT format('%s refuses status %L: it must allow queued, processing, succeeded and failed',
                  quote_ident(r.conname), word)
    FROM unnest(ARRAY['queued', 'processing', 'succeeded', 'failed']) word,
         rowrunner.refuses_status(job_table, word) AS r (conname)
    WHERE r.conname IS NOT NULL;
END
$$;

-- Everything that keeps a table from being a job table, one sentence each. With `add_columns`, what would be in
-- the way of an attach that adds the missing columns; the key must be there.
CREATE FUNCTION rowrunner.attach_problems(job_table regclass, add_columns boolean DEFAULT false)
RETURNS SETOF text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT rowrunner.table_problems(job_table)
  UNION ALL
  SELECT format('column %s is missing (%s%s)', m.name, m.type, CASE WHEN m.not_null THEN ' NOT NULL' ELSE '' END)
  FROM rowrunner.missing_columns(job_table) m WHERE NOT add_columns OR m.name = 'id'
  UNION ALL SELECT rowrunner.column_problems(job_table)
  UNION ALL
  SELECT format('index %s uses column %s, which changes while a job runs: drop the index%s',
                i.index_name, i.column_name,
                CASE WHEN i.is_unique THEN ' (for one job per key make the key alone unique;'
                  ' rowrunner.enqueue_again runs a job that has ended once more)' ELSE '' END)
  FROM rowrunner.changing_indexes(job_table) i
  UNION ALL SELECT rowrunner.value_problems(job_table)
$$;

CREATE FUNCTION rowrunner.refuse_unfit(job_table regclass, add_columns boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  problems text;
BEGIN
  SELECT string_agg(p, '; ') INTO problems FROM rowrunner.attach_problems(job_table, add_columns) p;
  IF problems IS NOT NULL THEN
    RAISE EXCEPTION '% cannot be attached: %', job_table, problems
      USING ERRCODE = 'invalid_table_definition',
            HINT = CASE WHEN NOT add_columns AND EXISTS (SELECT FROM rowrunner.missing_columns(job_table) m
                                                         WHERE m.name <> 'id')
                        THEN 'add_columns => true lets attach add the missing columns. ' ELSE '' END
                   || 'SELECT * FROM rowrunner.job_columns() lists the columns; docs/job-tables.md says why.';
  END IF;
END
$$;
