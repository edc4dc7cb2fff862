-- Changes are noted for another day. Where notes had ended, changes were missed: the new epoch says so.
UPDATE rowrunner_mirror.kinds k
SET noted_until = now() + interval '24 hours',
    epoch = CASE WHEN k.noted_until > now() THEN k.epoch ELSE gen_random_uuid() END
WHERE k.noted_until < now() + interval '23 hours'
