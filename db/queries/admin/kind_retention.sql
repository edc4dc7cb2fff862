-- Sets how long kind $1 keeps succeeded jobs ($2), and failed and cancelled ones ($3): an interval,
-- 'never' deletes none, NULL changes nothing. Answers both as they are now.
UPDATE rowrunner.kinds
SET retention = CASE WHEN $2::text IS NULL THEN retention ELSE nullif($2, 'never')::interval END,
    failed_retention = CASE WHEN $3::text IS NULL THEN failed_retention
                            ELSE nullif($3, 'never')::interval END
WHERE kind = $1 RETURNING retention::text, failed_retention::text
