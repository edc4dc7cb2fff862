-- Of the questions $1: those whose answer is known and at most $4 seconds old, with the answer, and those that the asker
-- $2 may ask now, for $3 seconds. Others are being asked by another asker. A marker is not removed when its answer
-- is stored, but left until its time is over: a statement that began before the answer was committed would otherwise
-- miss both.
WITH given AS MATERIALIZED (
  SELECT DISTINCT k AS key FROM unnest($1::text[]) k
), known AS MATERIALIZED (
  SELECT c.key, c.value FROM public.scoring_cache c JOIN given g ON g.key = c.key
  WHERE c.ts > now() - make_interval(secs => $4::float8)
), mine AS (
  INSERT INTO public.scoring_questions AS q (key, asker, until)
  SELECT g.key, $2, clock_timestamp() + make_interval(secs => $3::float8) FROM given g
  WHERE NOT EXISTS (SELECT FROM known k WHERE k.key = g.key)
  ORDER BY g.key
  ON CONFLICT (key) DO UPDATE SET asker = excluded.asker, until = excluded.until
    WHERE q.until < clock_timestamp() OR q.asker = excluded.asker
  RETURNING q.key
)
SELECT k.key, k.value FROM known k
UNION ALL
SELECT m.key, NULL FROM mine m
