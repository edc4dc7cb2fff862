-- How far job $1 has come.
SELECT jsonb_build_object('done', done, 'total', total, 'message', message, 'updated_at', updated_at)
FROM rowrunner.progress WHERE job_id = $1::uuid
