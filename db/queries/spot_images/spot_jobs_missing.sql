-- The sweep: a job for every place of any plan that needs a picture and has no job at all. Says how
-- many needed a picture and how many jobs were made.
WITH wanted AS MATERIALIZED (
  SELECT s.plan_id, s.position, s.spot_name FROM public.spots s
  WHERE coalesce(s.image_url, '') = '' AND s.image_status IN ('not_started', 'failed')
), added AS (
  INSERT INTO public.spot_image_jobs (plan_id, spot_name)
  SELECT w.plan_id, w.spot_name FROM wanted w
  WHERE NOT EXISTS (SELECT FROM public.spot_image_jobs j
                    WHERE j.plan_id = w.plan_id AND j.spot_name = w.spot_name)
  ORDER BY w.plan_id, w.position, w.spot_name
  ON CONFLICT (plan_id, spot_name) DO NOTHING
  RETURNING id
)
SELECT (SELECT count(*) FROM wanted) AS wanted, (SELECT count(*) FROM added) AS enqueued
