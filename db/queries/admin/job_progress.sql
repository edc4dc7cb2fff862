-- How far job $2 of kind $1 has come.
SELECT jsonb_build_object('done', done, 'total', total, 'message', message, 'updated_at', updated_at)
FROM rowrunner.progress WHERE kind = $1::smallint AND job_id = $2::uuid
