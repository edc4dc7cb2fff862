-- Job $1, if there is one.
SELECT j.id::text FROM {jobs} j WHERE j.id = $1::uuid
