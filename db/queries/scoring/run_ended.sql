-- An effect: run $1 has ended in round $2 as $3, for the reason $4. The job that writes its spreadsheet runs again if it
-- has ended without all scores: it may have been about to end when the run was resumed.
WITH ended AS (
  UPDATE public.scoring_runs SET status = $3, reason = $4, updated_at = now(), ended_at = now()
  WHERE run_id = $1::bigint AND round = $2::integer
  RETURNING run_id
)
SELECT rowrunner.enqueue_again('scoring_sheet', j.id)
FROM ended e JOIN public.scoring_sheet_jobs j ON j.run_id = e.run_id
WHERE j.status = 'succeeded'
  AND EXISTS (SELECT FROM public.scoring_scores s WHERE s.run_id = j.run_id AND NOT s.in_sheet)
