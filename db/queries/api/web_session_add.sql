-- A sign-in for $5 seconds, by the proof of a token as caller_of has it; NULL if it proves nothing.
SELECT rowrunner.add_web_session($1, $2, decode($3, 'hex'), decode($4, 'hex'), $5)
