-- Process $1 ends, or cannot reach Redis: another one may try.
UPDATE rowrunner_mirror.holder h SET holder = NULL, held_until = '-infinity' WHERE h.holder = $1::uuid
