-- The row of job $1.
SELECT to_json(j.*) FROM {jobs} j WHERE j.id = $1::uuid
