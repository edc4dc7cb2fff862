-- Whom token, sign-in or ticket ($1) number $2 stands for, by the proof $3 that its secret is known.
SELECT c.user_id, c.role, c.token_id, c.web_session_id FROM rowrunner.caller($1, $2, decode($3, 'hex')) c
