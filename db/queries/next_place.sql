-- The first place of kind $1 behind ($2, $3), to be passed over when its job cannot be taken now.
SELECT priority, seq FROM rowrunner.queue
WHERE kind = $1::smallint AND (priority, seq) > ($2::smallint, $3::bigint)
ORDER BY kind, priority, seq LIMIT 1
