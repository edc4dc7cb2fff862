-- The permissions of the workload spot images, checked by every migrate as those of the engine are.
-- Its triggers run as rowrunner_spots, which has permissions on these tables only.
GRANT USAGE, CREATE ON SCHEMA public TO rowrunner_spots;
ALTER FUNCTION public.spots_follow_jobs() OWNER TO rowrunner_spots;
ALTER FUNCTION public.spot_takes_status_of_job() OWNER TO rowrunner_spots;
REVOKE CREATE ON SCHEMA public FROM rowrunner_spots;
REVOKE ALL ON FUNCTION public.spots_follow_jobs(), public.spot_takes_status_of_job()
  FROM PUBLIC, rowrunner_worker, rowrunner_app;
REVOKE ALL ON public.travel_plans, public.spots
  FROM PUBLIC, rowrunner_spots, rowrunner_worker, rowrunner_app;
GRANT SELECT, UPDATE ON public.spots TO rowrunner_spots;
-- To lock a job FOR SHARE takes the permission to change one of its columns.
GRANT SELECT, UPDATE (updated_at) ON public.spot_image_jobs TO rowrunner_spots;
GRANT SELECT, INSERT, UPDATE ON public.travel_plans, public.spots TO rowrunner_app;
GRANT SELECT, UPDATE ON public.travel_plans, public.spots TO rowrunner_worker
