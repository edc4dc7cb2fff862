-- Ends a sign-in, by its proof as caller_of has it.
SELECT rowrunner.end_web_session($1, $2, decode($3, 'hex'))
