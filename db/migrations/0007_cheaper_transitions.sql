-- What a job's two transitions paid for and did not need.

-- A CHECK of a table is evaluated for every row that is written, whatever was written of it, and its
-- text is read anew by every statement. A domain's is evaluated when a value is given to a column: when
-- the job is enqueued, and not when it is claimed and ended.
CREATE DOMAIN public.plan_key AS text
  CONSTRAINT plan_key_text CHECK (VALUE IS NFC NORMALIZED AND char_length(VALUE) BETWEEN 1 AND 100);
CREATE DOMAIN public.spot_key AS text
  CONSTRAINT spot_key_text CHECK (VALUE IS NFC NORMALIZED AND char_length(VALUE) BETWEEN 1 AND 200);

ALTER TABLE public.spot_image_jobs
  DROP CONSTRAINT spot_image_jobs_plan_id_text,
  DROP CONSTRAINT spot_image_jobs_spot_name_text,
  ALTER COLUMN plan_id TYPE public.plan_key,
  ALTER COLUMN spot_name TYPE public.spot_key;
ALTER TABLE public.spots
  DROP CONSTRAINT spots_spot_name_text,
  ALTER COLUMN spot_name TYPE public.spot_key;

-- The ids of a batch do not get much smaller by compressing, and are read only when a worker is lost.
ALTER TABLE rowrunner.leases ALTER COLUMN job_ids SET STORAGE EXTERNAL;
