-- The owner of job $1; no row if there is no such job.
SELECT {owner} FROM {jobs} j WHERE j.id = $1::uuid
