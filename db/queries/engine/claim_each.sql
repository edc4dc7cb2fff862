-- As claim, one job after the other, for when a claim failed because of one of them. Answers how many
-- entries were seen, the last of them, whether it stopped before the end, and how many were passed over
-- because of which error. What was taken is read by claimed_jobs.
SELECT seen, last_priority, last_seq, cut, failed, error
FROM rowrunner.claim_each($1::smallint, $2::smallint, $3::bigint, $4::integer, $5::bigint, $6, $7::bigint)
