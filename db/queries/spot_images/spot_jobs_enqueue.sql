-- A job for every place of plan $1 that needs a picture and has none; says whether there is such a
-- plan, how many places it has and how many jobs were made. All enqueue in the same order, so that
-- two at once wait for each other instead of deadlocking.
WITH added AS (
  INSERT INTO public.spot_image_jobs (plan_id, spot_name)
  SELECT s.plan_id, s.spot_name FROM public.spots s
  WHERE s.plan_id = $1 AND coalesce(s.image_url, '') = ''
    AND s.image_status IN ('not_started', 'failed')
  ORDER BY s.position, s.spot_name
  ON CONFLICT (plan_id, spot_name) DO NOTHING
  RETURNING id
)
SELECT EXISTS (SELECT FROM public.travel_plans p WHERE p.plan_id = $1) AS known,
       (SELECT count(*) FROM public.spots s WHERE s.plan_id = $1) AS spots,
       (SELECT count(*) FROM added) AS enqueued
