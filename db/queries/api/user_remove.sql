-- Withdraws all tokens of user $4, by the proof of an admin as caller_of has it: 'removed', 'denied', 'unknown' or
-- 'last'.
SELECT rowrunner.remove_user($1, $2, decode($3, 'hex'), $4)
