-- The title of plan $1.
SELECT title FROM public.travel_plans WHERE plan_id = $1
