-- The first job table: one picture per place of a travel plan.
--
-- The columns, types, defaults, checks and the unique index are those of the document that asked for
-- it; lease, priority and run_at are the engine's. id and status have defaults besides, so that an
-- INSERT of (plan_id, spot_name) is a complete enqueue.
--
-- The document's second index, (status, locked_at), is left out on purpose. It cannot serve a claim:
-- "ORDER BY created_at" makes every claim sort the whole backlog. And since status stands in it, both
-- transitions of every job would write into every index. The line (rowrunner.queue) does its work.
CREATE TABLE public.spot_image_jobs (
  id           uuid PRIMARY KEY DEFAULT rowrunner.new_id(),
  plan_id      text NOT NULL,
  spot_name    text NOT NULL,
  status       text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'processing', 'succeeded', 'failed')),
  attempts     integer NOT NULL DEFAULT 0,
  max_attempts integer NOT NULL DEFAULT 3,
  last_error   text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  locked_at    timestamptz,
  locked_by    text,
  lease        bigint,
  priority     smallint NOT NULL DEFAULT 0,
  run_at       timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 30, autovacuum_vacuum_scale_factor = 0.05);

CREATE UNIQUE INDEX spot_image_jobs_plan_spot_unique ON public.spot_image_jobs (plan_id, spot_name);

SELECT rowrunner.attach('public.spot_image_jobs', kind => 'spot_image');
