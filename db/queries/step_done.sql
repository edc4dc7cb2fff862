-- Stores the result $4 of step $3 of job $1, while lease $2 holds it. FOR SHARE keeps a rescue from
-- slipping in between the check and the insert.
INSERT INTO rowrunner.steps (job_id, step, result)
SELECT held.id, $3, $4::jsonb
FROM (SELECT id FROM {jobs} WHERE id = $1::uuid AND status = 'processing' AND lease = $2::bigint
      FOR SHARE) held
ON CONFLICT (job_id, step) DO UPDATE SET result = excluded.result, created_at = now()
