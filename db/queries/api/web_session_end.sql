DELETE FROM rowrunner.web_sessions s WHERE s.id = $1
