-- How far job $2 of kind $1 has come, while lease $3 holds it: $4 of $5, in words $6.
INSERT INTO rowrunner.progress (kind, job_id, done, total, message)
SELECT $1::smallint, held.id, $4::bigint, $5::bigint, $6
FROM (SELECT id FROM {jobs} WHERE id = $2::uuid AND status = 'processing' AND lease = $3::bigint
      FOR SHARE) held
ON CONFLICT (kind, job_id) DO UPDATE
SET done = excluded.done, total = excluded.total, message = excluded.message, updated_at = now()
