-- Stores the result $5 of step $4 of job $2 of kind $1, while lease $3 holds it. FOR SHARE keeps a rescue from
-- slipping in between the check and the insert.
INSERT INTO rowrunner.steps (kind, job_id, step, result)
SELECT $1::smallint, held.id, $4, $5::jsonb
FROM (SELECT id FROM {jobs} WHERE id = $2::uuid AND status = 'processing' AND lease = $3::bigint
      FOR SHARE) held
ON CONFLICT (kind, job_id, step) DO UPDATE SET result = excluded.result, created_at = now()
