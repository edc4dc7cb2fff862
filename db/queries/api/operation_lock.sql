-- Operation $1 for this transaction alone; no row if it has ended or another server is at it.
SELECT o.kind, o.fingerprint::text, o.created_at, o.after_failed_at, o.after_job_id, k.id, k.cancelled_status, o.second_pass
FROM rowrunner.operations o LEFT JOIN rowrunner.kinds k ON k.kind = o.kind
WHERE o.id = $1::bigint AND o.state = 'running' FOR UPDATE OF o SKIP LOCKED
