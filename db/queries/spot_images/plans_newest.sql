-- The $1 newest plans.
SELECT plan_id, title, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM public.travel_plans ORDER BY created_at DESC, plan_id DESC LIMIT $1::integer
