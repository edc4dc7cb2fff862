-- What the writer of the spreadsheet of run $1 needs to know; whether another job that has not ended writes the same tab
-- and came first; and whether one that came later is writing it now.
SELECT r.status, r.utterance_column, r.blocks, r.row_start, r.row_count, r.header,
       EXISTS (SELECT FROM public.scoring_sheet_jobs o
               WHERE o.spreadsheet_id = j.spreadsheet_id AND o.tab = j.tab AND o.id < j.id
                 AND o.status IN ('queued', 'processing')),
       EXISTS (SELECT FROM public.scoring_sheet_jobs o
               WHERE o.spreadsheet_id = j.spreadsheet_id AND o.tab = j.tab AND o.id > j.id
                 AND o.status = 'processing')
FROM public.scoring_runs r JOIN public.scoring_sheet_jobs j ON j.run_id = r.run_id
WHERE r.run_id = $1::bigint
