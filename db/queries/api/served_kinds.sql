-- The attached kinds with the columns by which a server finds a job and knows its owners, as SQL: NULL if there is none.
SELECT k.id, k.kind, format('%I.%I', n.nspname, c.relname), k.cancelled_status,
       (SELECT format('j.%I::text', a.attname) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attname = k.owner_column AND NOT a.attisdropped) AS owner,
       (SELECT format('j.%I', a.attname) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attname = k.public_id_column AND NOT a.attisdropped) AS public_id,
       (SELECT format('j.%I::text', a.attname) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attname = 'document_id' AND a.attnum > 0 AND NOT a.attisdropped) AS document,
       (SELECT format('j.%I::text', a.attname) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attname = 'job_type' AND a.attnum > 0 AND NOT a.attisdropped) AS job_type,
       (SELECT format('j.%I::bigint', a.attname) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attname = 'total_pages' AND a.attnum > 0 AND NOT a.attisdropped
          AND a.atttypid IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype)) AS total_pages,
       (SELECT format('j.%I::bigint', a.attname) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attname = 'retry_count' AND a.attnum > 0 AND NOT a.attisdropped
          AND a.atttypid IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype)) AS retry_count,
       (SELECT format('j.%I::text', a.attname) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attname = k.co_owner_column AND NOT a.attisdropped) AS co_owner
FROM rowrunner.kinds k JOIN pg_class c ON c.oid = k.job_table JOIN pg_namespace n ON n.oid = c.relnamespace
ORDER BY k.kind
