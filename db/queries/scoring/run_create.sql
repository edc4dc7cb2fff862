-- A run: $1 name, $2 hash of its content, $3 provider, $4 model, $5 system prompt, $6 header, $7 column of the
-- utterance, $8 blocks, $9 config. No row comes back if there is one of that name.
INSERT INTO public.scoring_runs (name, content_hash, provider, model, system_prompt, header, utterance_column, blocks,
                                 block_count, config, row_start)
VALUES ($1, $2, $3, $4, $5, $6::text[], $7::integer, $8::jsonb, jsonb_array_length($8::jsonb), $9::jsonb, 1)
ON CONFLICT (name) DO NOTHING
RETURNING run_id
