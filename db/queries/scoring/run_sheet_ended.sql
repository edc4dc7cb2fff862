-- The sheet of run $1 has $2 rows; $3 is the hash of its content; $4 says whether it began with a byte order mark.
UPDATE public.scoring_runs SET row_count = $2::integer, content_hash = $3, bom = $4::boolean WHERE run_id = $1::bigint
