-- The places of plan $1 in their order, each with its job if it has one.
SELECT s.spot_name, s.area, s.description, s.image_url, s.image_status, j.id AS job_id,
       j.status AS job_status, j.attempts, j.max_attempts, j.last_error
FROM public.spots s
LEFT JOIN public.spot_image_jobs j ON j.plan_id = s.plan_id AND j.spot_name = s.spot_name
WHERE s.plan_id = $1
ORDER BY s.position, s.spot_name
