-- The next $2 entries of the cache after the key $1, as the document has them.
SELECT c.key, jsonb_build_object('value', c.value, 'ts', extract(epoch FROM c.ts)::float8)
FROM public.scoring_cache c WHERE c.key > $1 ORDER BY c.key LIMIT $2::integer
