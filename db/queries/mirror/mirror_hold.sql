-- Whether process $1 does the work for the next ten seconds. It writes only to begin and when half of that is over.
WITH taken AS (
  UPDATE rowrunner_mirror.holder h SET holder = $1::uuid, held_until = now() + interval '10 seconds'
  WHERE h.held_until < now() OR (h.holder = $1::uuid AND h.held_until < now() + interval '5 seconds')
  RETURNING true
)
SELECT EXISTS (SELECT FROM taken)
    OR EXISTS (SELECT FROM rowrunner_mirror.holder h WHERE h.holder = $1::uuid AND h.held_until >= now())
