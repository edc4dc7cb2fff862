-- How many rows of the spreadsheet of run $1 were moved, and the first of them.
SELECT count(*), min(m.row_index) FROM public.scoring_moved_rows m WHERE m.run_id = $1::bigint
