-- Whether live workers, and the schema, have other versions than this binary: $1, built for schema version $2.
-- Workers that call the SQL functions have none.
SELECT NULL::text, format('this rowrunner has version %s, live workers have %s', $1::text,
                          string_agg(format('%s (%s of them)', v.version, v.workers), ', ' ORDER BY v.version)),
       'start the workers anew with one version'
FROM (SELECT w.version, count(*) AS workers
      FROM rowrunner.workers w JOIN rowrunner.live_workers l ON l.worker = w.worker
      WHERE w.version <> 'sql' GROUP BY w.version) v
HAVING bool_or(v.version <> $1::text)
UNION ALL
SELECT NULL, format('the schema has version %s, this rowrunner was built for %s', i.version, $2::integer),
       'install the newer rowrunner here too'
FROM rowrunner.schema_info i WHERE i.version > $2::integer
