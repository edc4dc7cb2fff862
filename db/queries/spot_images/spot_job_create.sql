-- A picture job for place $2 of plan $1 with $3 attempts; one that exists stays as it is.
INSERT INTO public.spot_image_jobs (plan_id, spot_name, max_attempts)
VALUES ($1, $2, $3::integer)
ON CONFLICT (plan_id, spot_name) DO NOTHING
