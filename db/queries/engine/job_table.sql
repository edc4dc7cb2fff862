-- The columns of the table of kind $1 that an INSERT may name. In transactions of the caller, so without
-- a name that the caller's search_path could give another meaning; as all that enqueues.
SELECT job_table, name, type, is_array, unique_key FROM rowrunner.job_table_columns($1)
