-- Stores validated answers: $1 keys, $2 values as the document has them, without their time, which is now.
INSERT INTO public.scoring_cache (key, value, ts)
SELECT g.key,
       g.value::jsonb || jsonb_build_object('timestamp',
                                            to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
       now()
FROM unnest($1::text[], $2::text[]) AS g (key, value)
ORDER BY g.key
ON CONFLICT (key) DO UPDATE SET value = excluded.value, ts = excluded.ts
