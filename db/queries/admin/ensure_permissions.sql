-- Who may do what in the schema of the engine; docs/security.md explains it. Run by every migrate, so
-- that also a database that was restored without its roles has exactly these permissions. What is not
-- named here is denied: tests/attack/permissions.txt lists the outcome.
REVOKE ALL ON SCHEMA rowrunner
  FROM PUBLIC, rowrunner_engine, rowrunner_job_writer, rowrunner_worker, rowrunner_app;
-- A function can be given only to a role that may create one in its schema.
GRANT USAGE, CREATE ON SCHEMA rowrunner TO rowrunner_engine, rowrunner_job_writer;
ALTER FUNCTION rowrunner.on_insert() OWNER TO rowrunner_engine;
ALTER FUNCTION rowrunner.on_update() OWNER TO rowrunner_engine;
ALTER FUNCTION rowrunner.on_delete() OWNER TO rowrunner_engine;
ALTER FUNCTION rowrunner.on_truncate() OWNER TO rowrunner_engine;
ALTER FUNCTION rowrunner.on_wakeup() OWNER TO rowrunner_engine;
ALTER FUNCTION rowrunner.on_parent_update() OWNER TO rowrunner_engine;
ALTER FUNCTION rowrunner.on_parent_delete() OWNER TO rowrunner_engine;
ALTER FUNCTION rowrunner.run_after(text, uuid, text, uuid[], text, interval) OWNER TO rowrunner_engine;
ALTER FUNCTION rowrunner.fire_joins_of(smallint, integer) OWNER TO rowrunner_engine;
ALTER FUNCTION rowrunner.note_missed_ends() OWNER TO rowrunner_engine;
ALTER FUNCTION rowrunner.sweep_joins(smallint, bigint, bigint) OWNER TO rowrunner_engine;
ALTER FUNCTION rowrunner.end_cancelled_row(regclass, uuid, text, text) OWNER TO rowrunner_job_writer;
ALTER FUNCTION rowrunner.clear_lease_of_row(regclass, uuid) OWNER TO rowrunner_job_writer;
ALTER FUNCTION rowrunner.jobs_without_entry(smallint, real) OWNER TO rowrunner_engine;
ALTER FUNCTION rowrunner.add_missing(smallint) OWNER TO rowrunner_engine;
ALTER FUNCTION rowrunner.sweep_kind(smallint, bigint, bigint) OWNER TO rowrunner_engine;
ALTER FUNCTION rowrunner.requeue(text, uuid) OWNER TO rowrunner_engine;
ALTER FUNCTION rowrunner.enqueue_again(text, uuid, timestamptz) OWNER TO rowrunner_engine;
ALTER FUNCTION rowrunner.run_now(text, uuid) OWNER TO rowrunner_engine;
ALTER FUNCTION rowrunner.cancel(text, uuid, text, boolean) OWNER TO rowrunner_engine;
ALTER FUNCTION rowrunner.requeue_row(regclass, uuid, text[], timestamptz) OWNER TO rowrunner_job_writer;
ALTER FUNCTION rowrunner.cancel_row(regclass, uuid, text, text) OWNER TO rowrunner_job_writer;
ALTER FUNCTION rowrunner.unended_jobs(regclass, real) OWNER TO rowrunner_job_writer;
ALTER FUNCTION rowrunner.jobs_among(regclass, uuid[]) OWNER TO rowrunner_job_writer;
ALTER FUNCTION rowrunner.child_row(regclass, uuid) OWNER TO rowrunner_job_writer;
ALTER FUNCTION rowrunner.hold_row(regclass, uuid) OWNER TO rowrunner_job_writer;
ALTER FUNCTION rowrunner.unhold_row(regclass, uuid, timestamptz) OWNER TO rowrunner_job_writer;
ALTER FUNCTION rowrunner.free_row(regclass, uuid) OWNER TO rowrunner_job_writer;
ALTER FUNCTION rowrunner.share_rows(regclass, uuid[]) OWNER TO rowrunner_job_writer;
ALTER FUNCTION rowrunner.fire_deferred() OWNER TO rowrunner_job_writer;
REVOKE CREATE ON SCHEMA rowrunner FROM rowrunner_engine;
REVOKE ALL ON SCHEMA rowrunner FROM rowrunner_job_writer;
DO $$
DECLARE
  f regprocedure;
BEGIN
  FOR f IN SELECT p.oid::regprocedure FROM pg_proc p
           WHERE p.pronamespace = 'rowrunner'::regnamespace
             AND p.proowner IN ('rowrunner_engine'::regrole, 'rowrunner_job_writer'::regrole) LOOP
    EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER', f);
    IF f <> 'rowrunner.on_insert()'::regprocedure THEN
      EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, pg_temp', f);
    END IF;
  END LOOP;
END
$$;
GRANT USAGE ON SCHEMA rowrunner TO rowrunner_worker, rowrunner_app;

REVOKE ALL ON ALL TABLES IN SCHEMA rowrunner
  FROM PUBLIC, rowrunner_engine, rowrunner_job_writer, rowrunner_worker, rowrunner_app;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA rowrunner
  FROM PUBLIC, rowrunner_engine, rowrunner_job_writer, rowrunner_worker, rowrunner_app;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA rowrunner
  FROM PUBLIC, rowrunner_worker, rowrunner_app;

-- The triggers. No role may call them: firing needs no permission.
GRANT SELECT, INSERT, DELETE ON rowrunner.queue, rowrunner.delayed, rowrunner.wakeups
  TO rowrunner_engine;
GRANT SELECT, INSERT, UPDATE, DELETE ON rowrunner.failures TO rowrunner_engine;
GRANT SELECT, DELETE ON rowrunner.steps, rowrunner.progress, rowrunner.attempts, rowrunner.claim_errors
  TO rowrunner_engine;
GRANT SELECT, INSERT, UPDATE, DELETE ON rowrunner.waits, rowrunner.edges, rowrunner.join_candidates
  TO rowrunner_engine;
GRANT SELECT ON rowrunner.kinds TO rowrunner_engine;
GRANT USAGE ON SEQUENCE rowrunner.queue_back, rowrunner.queue_front TO rowrunner_engine;
GRANT EXECUTE ON FUNCTION rowrunner.wake(regclass, text), rowrunner.forget_jobs(smallint),
  rowrunner.refuse_types()
  TO rowrunner_engine;
-- What applications call, and the entries that attach, repair and sweep write.
GRANT SELECT, INSERT ON rowrunner.leases, rowrunner.cancellations TO rowrunner_engine;
GRANT EXECUTE ON FUNCTION rowrunner.kind_named(text),
  rowrunner.end_cancelled_row(regclass, uuid, text, text), rowrunner.clear_lease_of_row(regclass, uuid),
  rowrunner.requeue_row(regclass, uuid, text[], timestamptz),
  rowrunner.cancel_row(regclass, uuid, text, text), rowrunner.unended_jobs(regclass, real),
  rowrunner.jobs_among(regclass, uuid[]), rowrunner.fire_deferred(), rowrunner.child_row(regclass, uuid),
  rowrunner.hold_row(regclass, uuid), rowrunner.unhold_row(regclass, uuid, timestamptz),
  rowrunner.free_row(regclass, uuid), rowrunner.share_rows(regclass, uuid[]) TO rowrunner_engine;
-- Joins.
GRANT EXECUTE ON FUNCTION rowrunner.note_ends(smallint, uuid[], boolean),
  rowrunner.note_free_ends(smallint, uuid[], boolean), rowrunner.waits_for_success(smallint, uuid),
  rowrunner.note_near(smallint, uuid[], uuid[], boolean),
  rowrunner.snapshot_may_be_old(), rowrunner.note_old_snapshot(smallint, uuid[]),
  rowrunner.remove_ended_edges(smallint, tid[]), rowrunner.remove_missed_edges(smallint),
  rowrunner.forget_wait(smallint, uuid), rowrunner.forget_joins(smallint),
  rowrunner.check_join(rowrunner.kinds, uuid, rowrunner.kinds, uuid[], text, interval),
  rowrunner.lock_wait(rowrunner.kinds, uuid), rowrunner.lock_parents(rowrunner.kinds, uuid[], text),
  rowrunner.refuse_cycle(rowrunner.kinds, uuid, rowrunner.kinds, uuid[]), rowrunner.fire_child(rowrunner.waits),
  rowrunner.lock_candidates(smallint, rowrunner.waits, integer),
  rowrunner.lock_overdue(smallint, rowrunner.waits, integer),
  rowrunner.cancel_reason_of(rowrunner.waits, tid[]), rowrunner.try_to_fire(rowrunner.waits),
  rowrunner.put_off_join(rowrunner.waits, text), rowrunner.jobs_after(smallint, uuid) TO rowrunner_engine;
GRANT SELECT, UPDATE (only_row) ON rowrunner.schema_info TO rowrunner_engine;

-- Workers run the engine. Of a kind they change only whether it is paused: its table is what the
-- functions above write to.
GRANT SELECT, INSERT, UPDATE, DELETE ON rowrunner.queue, rowrunner.delayed, rowrunner.leases,
  rowrunner.workers, rowrunner.cancellations, rowrunner.steps, rowrunner.progress,
  rowrunner.attempts, rowrunner.claim_errors, rowrunner.failures, rowrunner.counters TO rowrunner_worker;
GRANT SELECT, UPDATE (paused) ON rowrunner.kinds TO rowrunner_worker;
GRANT SELECT ON rowrunner.schema_info, rowrunner.live_workers, rowrunner.waits, rowrunner.edges,
  rowrunner.join_candidates TO rowrunner_worker;
GRANT USAGE ON SEQUENCE rowrunner.queue_back TO rowrunner_worker;
GRANT EXECUTE ON FUNCTION rowrunner.new_id(), rowrunner.new_lease(),
  rowrunner.reached_mark(smallint, bigint), rowrunner.reached_seq(regclass, smallint),
  rowrunner.reach(regclass, bigint), rowrunner.job_columns(), rowrunner.kind_named(text),
  rowrunner.job_table_columns(text), rowrunner.job_table_permissions(), rowrunner.requeue(text, uuid),
  rowrunner.requeue_failed(text, integer), rowrunner.requeue_failed(text, integer, timestamptz),
  rowrunner.cancel(text, uuid, text, boolean),
  rowrunner.enqueue_again(text, uuid, timestamptz), rowrunner.run_now(text, uuid),
  rowrunner.rescue(smallint, integer, boolean), rowrunner.concerns_one_row(text),
  rowrunner.rescue_jobs(rowrunner.kinds, uuid[], bigint[], text[], timestamptz),
  rowrunner.stored_a_step(smallint, uuid, timestamptz),
  rowrunner.move_due(smallint[], integer),
  rowrunner.run_after(text, uuid, text, uuid[], text, interval), rowrunner.joins_noted(smallint[]),
  rowrunner.kinds_to_fire(), rowrunner.note_missed_ends(), rowrunner.fire_joins_of(smallint, integer),
  rowrunner.fire_joins(integer), rowrunner.fire_noted(smallint[]), rowrunner.kinds_after(smallint, uuid),
  rowrunner.sweep_joins(smallint, bigint, bigint),
  rowrunner.sweep(bigint, bigint), rowrunner.sweep_kind(smallint, bigint, bigint),
  rowrunner.pages_to_sweep(),
  rowrunner.none_kept(regclass, uuid[], bigint[]),
  rowrunner.set_aside_untaken(smallint, regclass, uuid[], smallint[]),
  rowrunner.pass_over(smallint, uuid, text), rowrunner.refuse_table(smallint, regclass),
  rowrunner.refuse_claim(uuid), rowrunner.refuse_end(uuid),
  rowrunner.claim_one(regclass, uuid, smallint, bigint, text),
  rowrunner.claim_each(smallint, smallint, bigint, integer, bigint, text, bigint),
  rowrunner.claim_free(smallint, smallint, bigint, integer, bigint, text, interval),
  rowrunner.claim(text, text, integer, interval), rowrunner.heartbeat(bigint, interval),
  rowrunner.refuse_unless(boolean, text, text), rowrunner.check_lease_for(interval),
  rowrunner.drop_stale_entries(rowrunner.kinds, smallint, bigint),
  rowrunner.put_off_entry(rowrunner.kinds, smallint, bigint, text, text),
  rowrunner.worker_seen(text, text),
  rowrunner.count_jobs(smallint, text, integer, integer, integer, integer, integer, integer),
  rowrunner.step(text, uuid, bigint, text, jsonb), rowrunner.steps(text, uuid),
  rowrunner.add_step(text, uuid, bigint, text, jsonb),
  rowrunner.progress(text, uuid, bigint, bigint, bigint, text),
  rowrunner.strike_from_lease(bigint, uuid), rowrunner.succeed(text, uuid, bigint),
  rowrunner.fail(text, uuid, bigint, text, interval, boolean), rowrunner.release(text, uuid, bigint),
  rowrunner.cancel_requested(uuid, bigint) TO rowrunner_worker;

-- Applications insert jobs (attach grants that), ask for one to be cancelled or run again, and read what
-- became of them.
GRANT SELECT ON rowrunner.schema_info, rowrunner.kinds, rowrunner.queue, rowrunner.delayed,
  rowrunner.leases, rowrunner.workers, rowrunner.live_workers, rowrunner.cancellations, rowrunner.steps,
  rowrunner.progress, rowrunner.attempts, rowrunner.claim_errors, rowrunner.failures, rowrunner.counters,
  rowrunner.waits, rowrunner.edges, rowrunner.join_candidates TO rowrunner_app;
GRANT EXECUTE ON FUNCTION rowrunner.new_id(), rowrunner.job_columns(),
  rowrunner.job_table_columns(text), rowrunner.job_table_permissions(), rowrunner.requeue(text, uuid),
  rowrunner.enqueue_again(text, uuid, timestamptz), rowrunner.run_now(text, uuid),
  rowrunner.run_after(text, uuid, text, uuid[], text, interval),
  rowrunner.requeue_failed(text, integer), rowrunner.requeue_failed(text, integer, timestamptz),
  rowrunner.cancel(text, uuid, text, boolean) TO rowrunner_app;

-- Job tables and the sequences of their kinds, as attach granted them. A table of which the migrating
-- role is not the owner may have lost its permissions in a restore.
DO $$
DECLARE
  attached rowrunner.kinds;
  owner oid;
BEGIN
  FOR attached IN SELECT k.* FROM rowrunner.kinds k JOIN pg_class c ON c.oid = k.job_table LOOP
    PERFORM rowrunner.grant_sequences(attached);
    SELECT c.relowner INTO owner FROM pg_class c WHERE c.oid = attached.job_table;
    IF pg_has_role(owner, 'USAGE') THEN
      PERFORM rowrunner.grant_access(attached);
    ELSE
      RAISE WARNING 'the permissions on % were not checked: it belongs to %', attached.job_table,
        pg_get_userbyid(owner)
        USING HINT = 'Let that role run: ' || rowrunner.grants_on(attached.job_table);
    END IF;
  END LOOP;
END
$$
