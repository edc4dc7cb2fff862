-- How far job $1 has come, while lease $2 holds it: $3 of $4, in words $5.
INSERT INTO rowrunner.progress (job_id, done, total, message)
SELECT held.id, $3::bigint, $4::bigint, $5
FROM (SELECT id FROM {jobs} WHERE id = $1::uuid AND status = 'processing' AND lease = $2::bigint
      FOR SHARE) held
ON CONFLICT (job_id) DO UPDATE
SET done = excluded.done, total = excluded.total, message = excluded.message, updated_at = now()
