-- Jobs in every state that a job can be in when the database is upgraded. A claim takes the most urgent job, so each
-- that is claimed is enqueued as that.
CREATE FUNCTION pg_temp.claim_new(errand text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.errands (name, priority) VALUES (errand, -100);
  RETURN (SELECT (c->>'lease')::bigint FROM rowrunner.claim('errand', 'lost worker') c);
END $$;
CREATE FUNCTION pg_temp.id_of(errand text) RETURNS uuid LANGUAGE sql AS
  $$ SELECT id FROM public.errands WHERE name = errand $$;

DO $$
DECLARE
  lease bigint;
BEGIN
  PERFORM pg_temp.claim_new('running');

  lease := pg_temp.claim_new('cancelling');
  PERFORM rowrunner.cancel('errand', pg_temp.id_of('cancelling'), 'not needed');

  lease := pg_temp.claim_new('done');
  PERFORM rowrunner.succeed('errand', pg_temp.id_of('done'), lease);

  lease := pg_temp.claim_new('failed');
  PERFORM rowrunner.fail('errand', pg_temp.id_of('failed'), lease, 'no such address', final => true);

  lease := pg_temp.claim_new('retried');
  PERFORM rowrunner.fail('errand', pg_temp.id_of('retried'), lease, 'busy', retry_after => '1 second');
END $$;

INSERT INTO public.errands (name, priority) VALUES ('queued', 0), ('urgent', -5), ('cancelled', 0);
SELECT rowrunner.cancel('errand', pg_temp.id_of('cancelled'));
INSERT INTO public.errands (name, run_at) VALUES ('delayed', '2100-01-01Z'), ('held by hand', 'infinity');

-- After others: any end, and success alone.
INSERT INTO public.errands (name) VALUES ('after two'), ('after success');
SELECT rowrunner.run_after('errand', pg_temp.id_of('after two'), 'errand',
                           ARRAY[pg_temp.id_of('queued'), pg_temp.id_of('running')], when_failed => 'run');
SELECT rowrunner.run_after('errand', pg_temp.id_of('after success'), 'errand', ARRAY[pg_temp.id_of('failed')],
                           when_failed => 'hold');

-- Two of five pages are read, each a step with its row.
INSERT INTO public.books (title, pages, priority) VALUES ('atlas', 5, -100), ('map', 2, 0);
DO $$
DECLARE
  claimed jsonb := (SELECT c FROM rowrunner.claim('book', 'lost worker') c);
BEGIN
  FOR page IN 1..2 LOOP
    INSERT INTO public.pages_read VALUES ('atlas', page, 'before the upgrade');
    PERFORM rowrunner.step('book', (claimed->>'id')::uuid, (claimed->>'lease')::bigint, 'page ' || page, '18');
  END LOOP;
  PERFORM rowrunner.progress('book', (claimed->>'id')::uuid, (claimed->>'lease')::bigint, 2, 5, 'read');
END $$;
