-- Indexes of the table of kind $1 that use a column which changes while a job runs.
SELECT k.kind, format('index %s uses %s: every change of a job writes into all indexes of its table',
                      i.index_name, string_agg(i.column_name, ', ' ORDER BY i.column_name)),
       coalesce((SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', k.job_table, c.conname)
                 FROM pg_constraint c WHERE c.conrelid = k.job_table AND c.conindid = i.index_name LIMIT 1),
                format('DROP INDEX CONCURRENTLY %s', i.index_name))
FROM rowrunner.kinds k CROSS JOIN LATERAL rowrunner.changing_indexes(k.job_table) i
WHERE k.kind = $1
GROUP BY k.kind, k.job_table, i.index_name
ORDER BY i.index_name::text
