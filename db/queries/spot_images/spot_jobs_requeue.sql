-- Queues the failed jobs of plan $1 again where the place still needs its picture.
WITH failed AS MATERIALIZED (
  SELECT j.id
  FROM public.spots s
  JOIN public.spot_image_jobs j ON j.plan_id = s.plan_id AND j.spot_name = s.spot_name
  WHERE s.plan_id = $1 AND coalesce(s.image_url, '') = ''
    AND s.image_status IN ('not_started', 'failed') AND j.status = 'failed'
  ORDER BY s.position, s.spot_name
)
SELECT count(*) FILTER (WHERE rowrunner.requeue('spot_image', id)) FROM failed
