-- Makes the entries of kind $1 match its jobs again; answers what was missing and what was too much.
SELECT queued, delayed, failed, lost, removed, to_json(problems) AS problems FROM rowrunner.repair($1)
