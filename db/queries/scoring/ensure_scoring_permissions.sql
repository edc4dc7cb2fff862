-- The permissions of the workload scoring, checked by every migrate as those of the engine are.
REVOKE ALL ON public.scoring_runs, public.scoring_rows, public.scoring_chunk_counts, public.scoring_scores,
  public.scoring_failures, public.scoring_cache, public.scoring_questions, public.scoring_budgets,
  public.scoring_moved_rows
  FROM PUBLIC, rowrunner_worker, rowrunner_app;
GRANT SELECT, INSERT, UPDATE ON public.scoring_runs, public.scoring_budgets, public.scoring_chunk_counts
  TO rowrunner_app;
GRANT SELECT, INSERT ON public.scoring_rows TO rowrunner_app;
GRANT SELECT, DELETE ON public.scoring_failures TO rowrunner_app;
GRANT SELECT ON public.scoring_scores, public.scoring_cache, public.scoring_moved_rows TO rowrunner_app;
GRANT UPDATE (in_sheet) ON public.scoring_scores TO rowrunner_app;
GRANT DELETE ON public.scoring_moved_rows TO rowrunner_app;
GRANT SELECT, UPDATE ON public.scoring_runs, public.scoring_budgets, public.scoring_chunk_counts TO rowrunner_worker;
GRANT SELECT ON public.scoring_rows TO rowrunner_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON public.scoring_scores, public.scoring_failures, public.scoring_cache,
  public.scoring_questions, public.scoring_moved_rows TO rowrunner_worker
