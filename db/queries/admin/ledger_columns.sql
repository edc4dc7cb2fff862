-- The columns of the ledger; none if no migration ran here. A view of that name would run whatever its
-- owner wants.
SELECT coalesce(pg_catalog.array_agg(a.attname::text), '{}') OPERATOR(pg_catalog.@>) '{component}' AS by_component
FROM pg_catalog.pg_attribute a
JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) a.attrelid
WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass('rowrunner.migrations')
  AND c.relkind OPERATOR(pg_catalog.=) 'r' AND a.attnum OPERATOR(pg_catalog.>) 0
HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 0
