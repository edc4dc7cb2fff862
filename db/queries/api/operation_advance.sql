-- Operation $1 has requeued $2 jobs and passed over $3, up to the failure ($4, $5); $6: that was all.
UPDATE rowrunner.operations
SET requeued = requeued + $2::bigint, skipped = skipped + $3::bigint,
    after_failed_at = coalesce($4::timestamptz, after_failed_at), after_job_id = coalesce($5::uuid, after_job_id),
    state = CASE WHEN $6::boolean THEN 'done' ELSE state END, ended_at = CASE WHEN $6::boolean THEN now() END
WHERE id = $1::bigint
