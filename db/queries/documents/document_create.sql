-- Document $1 of user $2 with title $3, $4 pages and $5 bytes at $6, and the job $7 that reads it. Answers the id of
-- the job.
WITH made AS (
  INSERT INTO public.documents (document_id, user_id, title, total_pages, bytes, file_key)
  VALUES ($1::uuid, $2, $3, $4::integer, $5::bigint, $6)
  RETURNING document_id, user_id, total_pages
)
INSERT INTO public.document_jobs (id, job_id, job_type, document_id, user_id, total_pages)
SELECT $7::uuid, 'document_ocr-' || $7::uuid::text, 'document_ocr', m.document_id, m.user_id, m.total_pages FROM made m
RETURNING job_id
