-- The writer of run $1: spreadsheet $2, tab $3.
INSERT INTO public.scoring_sheet_jobs (run_id, spreadsheet_id, tab) VALUES ($1::bigint, $2, $3)
