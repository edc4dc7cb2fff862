-- What was asked of run $1 besides its content: config, budget and spreadsheet.
SELECT r.config, b.max_calls, b.max_cost, s.spreadsheet_id, s.tab
FROM public.scoring_runs r
LEFT JOIN public.scoring_budgets b ON b.run_id = r.run_id
LEFT JOIN public.scoring_sheet_jobs s ON s.run_id = r.run_id
WHERE r.run_id = $1::bigint
