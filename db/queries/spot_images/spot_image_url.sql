-- The address of the picture of spot $2 of plan $1.
SELECT image_url FROM public.spots WHERE plan_id = $1 AND spot_name = $2 AND coalesce(image_url, '') <> ''
