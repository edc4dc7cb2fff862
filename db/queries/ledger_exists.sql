-- Whether any migration ran here. A view of that name would run whatever its
-- owner wants.
SELECT EXISTS (SELECT FROM pg_catalog.pg_class c
               WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass('rowrunner.migrations')
                 AND c.relkind OPERATOR(pg_catalog.=) 'r')
