-- What is known of the spot $2 of plan $1, for its picture.
SELECT area, description FROM public.spots WHERE plan_id = $1 AND spot_name = $2
