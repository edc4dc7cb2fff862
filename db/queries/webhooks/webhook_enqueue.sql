-- Enqueues a delivery: $1 url, $2 payload, $3 event, $4 token, $5 token_member, $6 success_by, $7 source, $8 event_key,
-- $9 id (NULL: a new one).
SELECT public.enqueue_webhook($1, $2::json, $3, $4, $5, $6, $7, $8, $9::uuid)
