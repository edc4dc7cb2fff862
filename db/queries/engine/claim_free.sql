-- As claim, for when a claim could not get the lock on a job that another session is changing: such jobs keep their
-- entry, all others are taken. Answers as claim_each does, no job is passed over. What was taken is read by
-- claimed_jobs.
SELECT seen, last_priority, last_seq, false AS cut, 0 AS failed, NULL AS error
FROM rowrunner.claim_free($1::smallint, $2::smallint, $3::bigint, $4::integer, $5::bigint, $6,
                          $7::bigint * interval '1 ms')
