-- Lets the job that writes the spreadsheet of run $1 run again, if there is one that has ended.
SELECT count(*) FILTER (WHERE rowrunner.enqueue_again('scoring_sheet', j.id))
FROM public.scoring_sheet_jobs j WHERE j.run_id = $1::bigint
