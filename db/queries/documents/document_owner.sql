-- Whose document $1 is, its title, pages and place in the storage.
SELECT d.user_id, d.title, d.total_pages, d.file_key FROM public.documents d WHERE d.document_id = $1::uuid
