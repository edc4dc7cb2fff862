-- Whether the engine's schema is there, asked without touching it.
SELECT to_regclass('rowrunner.schema_info') IS NOT NULL
