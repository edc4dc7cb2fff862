-- How many document jobs wait.
SELECT count(*) FROM rowrunner.queue q WHERE q.kind = (SELECT k.id FROM rowrunner.kinds k WHERE k.kind = 'document')
