-- Whether there ever was a token.
SELECT rowrunner.has_tokens()
