-- The columns of the table of kind $1 that an INSERT may name, one row each. Types come without
-- their length limits (a cast to varchar(5) would cut a longer text, an INSERT refuses it), and of a
-- domain the type below it. unique_key is what two jobs cannot share beside their id, if it is one
-- plain index; else NULL.
SELECT format('%I.%I', n.nspname, c.relname) AS job_table, a.attname,
       format_type(CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END, -1) AS type,
       t.typcategory = 'A' AS is_array, u.unique_key
FROM rowrunner.kinds k
JOIN pg_class c ON c.oid = k.job_table
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                   AND a.attgenerated = '' AND a.attidentity <> 'a'
JOIN pg_type t ON t.oid = a.atttypid
CROSS JOIN LATERAL (
  SELECT CASE WHEN count(*) = 1 AND bool_and(i.indisunique AND i.indimmediate AND i.indisvalid
                                             AND i.indpred IS NULL AND i.indexprs IS NULL)
              THEN min((SELECT string_agg(quote_ident(key.attname), ', ' ORDER BY key.attnum)
                        FROM pg_attribute key
                        WHERE key.attrelid = c.oid
                          AND key.attnum = ANY ((i.indkey::smallint[])[0:i.indnkeyatts - 1])))
         END AS unique_key
  FROM pg_index i
  WHERE i.indrelid = c.oid AND (i.indisunique OR i.indisexclusion) AND NOT i.indisprimary) u
WHERE k.kind = $1
ORDER BY a.attnum
