-- Rights. Workers run the engine; applications insert jobs (attach grants that), read them, and call
-- requeue. Nobody else may do anything.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA rowrunner FROM PUBLIC;
GRANT USAGE ON SCHEMA rowrunner TO rowrunner_worker, rowrunner_app;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA rowrunner TO rowrunner_worker;
REVOKE EXECUTE ON FUNCTION rowrunner.attach(regclass, text, interval), rowrunner.detach(text)
  FROM rowrunner_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON rowrunner.queue, rowrunner.delayed, rowrunner.leases,
  rowrunner.workers, rowrunner.cancellations, rowrunner.steps, rowrunner.progress,
  rowrunner.attempts, rowrunner.failures, rowrunner.counters TO rowrunner_worker;
GRANT SELECT, UPDATE ON rowrunner.kinds TO rowrunner_worker;
GRANT SELECT ON rowrunner.schema_info TO rowrunner_worker, rowrunner_app;
-- Which table a kind is, for those who enqueue by kind.
GRANT SELECT ON rowrunner.kinds TO rowrunner_app;
GRANT USAGE ON SEQUENCE rowrunner.back_of_line, rowrunner.front_of_line TO rowrunner_worker;
GRANT EXECUTE ON FUNCTION rowrunner.new_id(), rowrunner.requeue(text, uuid) TO rowrunner_app;
