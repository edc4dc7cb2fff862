-- Whether a claim could lock job $1 now: a row if so. Run in a savepoint that is rolled back at once.
SELECT FROM {jobs} WHERE id = $1::uuid FOR NO KEY UPDATE SKIP LOCKED
