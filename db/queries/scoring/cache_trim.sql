-- Removes answers that are older than $2 seconds, and the oldest ones beyond $1 entries.
DELETE FROM public.scoring_cache c
WHERE c.ts <= now() - make_interval(secs => $2::float8)
   OR c.key IN (SELECT o.key FROM public.scoring_cache o ORDER BY o.ts DESC, o.key DESC OFFSET $1::bigint)
