-- A ticket for $5 seconds, by a proof as caller_of has it; NULL if it proves nothing.
SELECT rowrunner.add_ticket($1, $2, decode($3, 'hex'), decode($4, 'hex'), $5)
