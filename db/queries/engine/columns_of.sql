-- The columns of the job table $1, in their order, and the SQL that reads each as the text which its type
-- writes: the answer of a claim is binary. Text itself costs nothing that way. A cast of others would write
-- booleans and char(n) otherwise, and IS NULL would ask the fields of a composite.
SELECT a.attname,
       CASE WHEN coalesce(nullif(t.typbasetype, 0), t.oid) IN ('text'::regtype, 'varchar'::regtype)
            THEN format('j.%I::text', a.attname)
            ELSE format('CASE WHEN pg_catalog.num_nulls(j.%1$I) = 0 THEN pg_catalog.format(%2$L, j.%1$I) END',
                        a.attname, '%s')
       END AS as_text
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
