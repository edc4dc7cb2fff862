-- The job that others know as $1.
SELECT j.id::text FROM {jobs} j WHERE {public_id} = $1
