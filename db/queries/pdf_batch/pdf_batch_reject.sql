-- Keeps a message that is no job: $1 push or pull, $2 its id, $3 what is wrong with it, $4 its data. Removes some that
-- were kept for 30 days.
WITH gone AS (
  DELETE FROM public.pdf_batch_rejected o WHERE o.id IN (
    SELECT r.id FROM public.pdf_batch_rejected r
    WHERE r.received_at < now() - interval '30 days'
    ORDER BY r.received_at LIMIT 100
    FOR UPDATE SKIP LOCKED)
)
INSERT INTO public.pdf_batch_rejected (source, message_id, reason, data) VALUES ($1, $2, $3, $4)
