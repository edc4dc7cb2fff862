-- The names of the attached kinds, for messages.
SELECT kind FROM rowrunner.kinds ORDER BY kind
