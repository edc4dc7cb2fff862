INSERT INTO rowrunner.tokens (hash, user_id, role, name) VALUES (decode($1, 'hex'), $2, $3, $4) RETURNING id
