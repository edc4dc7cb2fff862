-- Uploads are numbered, and what was kept for 30 days goes.

-- Of two uploads of a file, the one that began last counts; the other one is refused when it ends.
ALTER TABLE public.pdf_batch_uploads ADD COLUMN IF NOT EXISTS upload uuid;

-- By which old rows are found.
CREATE INDEX IF NOT EXISTS pdf_batch_uploads_created_at ON public.pdf_batch_uploads (created_at);
CREATE INDEX IF NOT EXISTS pdf_batch_rejected_received_at ON public.pdf_batch_rejected (received_at);
