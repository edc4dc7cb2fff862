SELECT t.id, t.user_id, t.role, t.name, to_json(t.created_at)#>>'{}', to_json(t.revoked_at)#>>'{}'
FROM rowrunner.tokens t ORDER BY t.id
