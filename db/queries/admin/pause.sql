-- Pauses ($2 true) or resumes a kind. A paused kind takes new jobs, but none is started.
UPDATE rowrunner.kinds SET paused = $2::boolean WHERE kind = $1 RETURNING kind
