-- Lets the spreadsheet of run $1 be written once more, moved rows included. Says whether it has one that does not run;
-- otherwise nothing is changed.
WITH again AS MATERIALIZED (
  SELECT rowrunner.enqueue_again('scoring_sheet', j.id) AS queued
  FROM public.scoring_sheet_jobs j WHERE j.run_id = $1::bigint
), forgotten AS (
  DELETE FROM public.scoring_moved_rows m WHERE m.run_id = $1::bigint AND EXISTS (SELECT FROM again a WHERE a.queued)
), changed AS (
  UPDATE public.scoring_scores s SET in_sheet = false
  WHERE s.run_id = $1::bigint AND EXISTS (SELECT FROM again a WHERE a.queued)
)
SELECT count(*) FROM again a WHERE a.queued
