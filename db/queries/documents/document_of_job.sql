-- Where document $1 lies, and how many pages it has.
SELECT d.file_key, d.total_pages FROM public.documents d WHERE d.document_id = $1::uuid
