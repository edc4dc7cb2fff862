-- The questions $1 are still being asked by $2, for $3 more seconds.
UPDATE public.scoring_questions q SET until = clock_timestamp() + make_interval(secs => $3::float8)
WHERE q.key = ANY ($1::text[]) AND q.asker = $2
