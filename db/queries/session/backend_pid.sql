-- Which server process answers. Behind a transaction-mode pooler it is not always the same one.
SELECT pg_backend_pid()
