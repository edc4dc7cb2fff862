-- Whether the engine's schema is there, asked without touching it. A view of that name would run whatever its
-- owner wants.
SELECT EXISTS (SELECT FROM pg_catalog.pg_class c
               WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass('rowrunner.schema_info')
                 AND c.relkind OPERATOR(pg_catalog.=) 'r')
