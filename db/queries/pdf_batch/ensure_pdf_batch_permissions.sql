-- The permissions of the workload PDF batches, checked by every migrate as those of the engine are. To lock rows that are
-- removed takes UPDATE.
REVOKE ALL ON public.pdf_batch_uploads, public.pdf_batch_rejected FROM PUBLIC, rowrunner_worker, rowrunner_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON public.pdf_batch_uploads, public.pdf_batch_rejected TO rowrunner_app
