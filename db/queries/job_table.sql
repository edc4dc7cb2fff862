-- The columns of the table of kind $1 that an INSERT may name, one row each. Types come without
-- their length limits: a cast to varchar(5) would cut a longer text, an INSERT refuses it.
SELECT format('%I.%I', n.nspname, c.relname) AS job_table, a.attname,
       format_type(a.atttypid, -1) AS type, t.typcategory = 'A' AS is_array
FROM rowrunner.kinds k
JOIN pg_class c ON c.oid = k.job_table
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                   AND a.attgenerated = '' AND a.attidentity <> 'a'
JOIN pg_type t ON t.oid = a.atttypid
WHERE k.kind = $1
ORDER BY a.attnum
