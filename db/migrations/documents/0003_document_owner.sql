-- A job that an admin has started on somebody's document is also the owner's of the document, to follow and to cancel.

-- Whose document it is, of jobs that somebody else may have asked for.
ALTER TABLE public.document_jobs ADD COLUMN document_owner text;
UPDATE public.document_jobs j SET document_owner = d.user_id
  FROM public.documents d WHERE d.document_id = j.document_id AND j.job_type = 'document_reprocess';
