-- The last job that jobs_newest looks at if there are more behind it.
SELECT id FROM {jobs} WHERE $1::uuid IS NULL OR id < $1::uuid ORDER BY id DESC OFFSET 19999 LIMIT 1
