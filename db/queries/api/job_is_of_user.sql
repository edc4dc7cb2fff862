-- Whether job $1, or the document that it is about, belongs to user $2; no row if there is no such job.
SELECT ($2 IN ({owner}, {document_owner})) IS TRUE FROM {jobs} j WHERE j.id = $1::uuid
