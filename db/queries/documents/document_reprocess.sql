-- A job $2 of user $3 that reads all pages of document $1 again, which the document's owner may follow. Answers the id
-- of the job; nothing if there is no such document.
INSERT INTO public.document_jobs (id, job_id, job_type, document_id, user_id, document_owner, total_pages)
SELECT $2::uuid, 'document_reprocess-' || $2::uuid::text, 'document_reprocess', d.document_id, $3, d.user_id,
       d.total_pages
FROM public.documents d WHERE d.document_id = $1::uuid
RETURNING job_id
