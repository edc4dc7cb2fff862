-- Whether there ever was a token. Revoked ones count: to revoke the last one must not open the server.
SELECT EXISTS (SELECT FROM rowrunner.tokens)
