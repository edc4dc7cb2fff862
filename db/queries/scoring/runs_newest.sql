-- The $1 newest runs.
SELECT r.name, r.status, r.provider, r.model, r.row_count, r.block_count,
       to_char(r.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
FROM public.scoring_runs r ORDER BY r.created_at DESC, r.run_id DESC LIMIT $1::integer
