-- A travel plan $1 with title $2; no row comes back if there is one of that id.
INSERT INTO public.travel_plans (plan_id, title) VALUES ($1, $2)
ON CONFLICT (plan_id) DO NOTHING
RETURNING plan_id
