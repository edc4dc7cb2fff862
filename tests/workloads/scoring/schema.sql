-- What db/migrations/scoring makes of an empty database; written by scripts/dump-schema.
CREATE TABLE public.scoring_budgets (
    run_id bigint NOT NULL,
    max_calls bigint,
    max_cost numeric,
    calls bigint DEFAULT 0 NOT NULL,
    cost numeric DEFAULT 0 NOT NULL,
    reserved_calls bigint DEFAULT 0 NOT NULL,
    reserved_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL
)
WITH (fillfactor='25', autovacuum_vacuum_scale_factor='0.01');
CREATE TABLE public.scoring_cache (
    key text NOT NULL,
    value jsonb NOT NULL,
    ts timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.scoring_chunk_counts (
    run_id bigint NOT NULL,
    chunk_no integer NOT NULL,
    flushes integer DEFAULT 0 NOT NULL,
    processed_rows integer DEFAULT 0 NOT NULL,
    processed_blocks integer DEFAULT 0 NOT NULL,
    failed_blocks integer DEFAULT 0 NOT NULL,
    cache_hits integer DEFAULT 0 NOT NULL,
    calls integer DEFAULT 0 NOT NULL,
    cost numeric DEFAULT 0 NOT NULL,
    write_seconds double precision DEFAULT 0 NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    call_seconds double precision DEFAULT 0 NOT NULL,
    limit_key text
)
WITH (fillfactor='50');
CREATE TABLE public.scoring_chunk_jobs (
    id uuid DEFAULT rowrunner.new_id() NOT NULL,
    run_id bigint NOT NULL,
    chunk_no integer NOT NULL,
    row_start integer NOT NULL,
    row_end integer NOT NULL,
    status text DEFAULT 'queued'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    max_attempts integer DEFAULT 3 NOT NULL,
    last_error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    locked_at timestamp with time zone,
    locked_by text,
    lease bigint,
    priority smallint DEFAULT 0 NOT NULL,
    run_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT scoring_chunk_jobs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'succeeded'::text, 'failed'::text])))
)
WITH (fillfactor='25', autovacuum_vacuum_scale_factor='0.05');
CREATE TABLE public.scoring_failures (
    run_id bigint NOT NULL,
    row_index integer NOT NULL,
    block_index integer NOT NULL,
    reason text NOT NULL,
    failed_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.scoring_moved_rows (
    run_id bigint NOT NULL,
    row_index integer NOT NULL
);
CREATE TABLE public.scoring_questions (
    key text NOT NULL,
    asker text NOT NULL,
    until timestamp with time zone NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.05');
CREATE TABLE public.scoring_rows (
    run_id bigint NOT NULL,
    row_index integer NOT NULL,
    cells text[] NOT NULL
);
CREATE TABLE public.scoring_run_jobs (
    id uuid DEFAULT rowrunner.new_id() NOT NULL,
    run_id bigint NOT NULL,
    round integer NOT NULL,
    status text DEFAULT 'queued'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    max_attempts integer DEFAULT 10 NOT NULL,
    last_error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    locked_at timestamp with time zone,
    locked_by text,
    lease bigint,
    priority smallint DEFAULT 0 NOT NULL,
    run_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT scoring_run_jobs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'succeeded'::text, 'failed'::text])))
)
WITH (fillfactor='25', autovacuum_vacuum_scale_factor='0.05');
CREATE TABLE public.scoring_runs (
    run_id bigint NOT NULL,
    name text NOT NULL,
    content_hash text NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    system_prompt text NOT NULL,
    header text[] NOT NULL,
    utterance_column integer NOT NULL,
    blocks jsonb NOT NULL,
    block_count integer NOT NULL,
    config jsonb NOT NULL,
    row_start integer NOT NULL,
    row_count integer DEFAULT 0 NOT NULL,
    status text DEFAULT 'running'::text NOT NULL,
    reason text,
    round integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    ended_at timestamp with time zone,
    round_began_at timestamp with time zone DEFAULT now() NOT NULL,
    round_began_with bigint DEFAULT 0 NOT NULL,
    bom boolean DEFAULT false NOT NULL,
    CONSTRAINT scoring_runs_name CHECK ((name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'::text)),
    CONSTRAINT scoring_runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'completed'::text, 'failed'::text])))
);
ALTER TABLE public.scoring_runs ALTER COLUMN run_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.scoring_runs_run_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.scoring_scores (
    run_id bigint NOT NULL,
    row_index integer NOT NULL,
    block_index integer NOT NULL,
    scores double precision[] NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    scored_at timestamp with time zone DEFAULT now() NOT NULL,
    in_sheet boolean
);
CREATE TABLE public.scoring_sheet_jobs (
    id uuid DEFAULT rowrunner.new_id() NOT NULL,
    run_id bigint NOT NULL,
    spreadsheet_id text NOT NULL,
    tab text NOT NULL,
    status text DEFAULT 'queued'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    max_attempts integer DEFAULT 5 NOT NULL,
    last_error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    locked_at timestamp with time zone,
    locked_by text,
    lease bigint,
    priority smallint DEFAULT 0 NOT NULL,
    run_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT scoring_sheet_jobs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'succeeded'::text, 'failed'::text])))
)
WITH (fillfactor='25', autovacuum_vacuum_scale_factor='0.05');
ALTER TABLE ONLY public.scoring_budgets
    ADD CONSTRAINT scoring_budgets_pkey PRIMARY KEY (run_id);
ALTER TABLE ONLY public.scoring_cache
    ADD CONSTRAINT scoring_cache_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.scoring_chunk_counts
    ADD CONSTRAINT scoring_chunk_counts_pkey PRIMARY KEY (run_id, chunk_no);
ALTER TABLE ONLY public.scoring_chunk_jobs
    ADD CONSTRAINT scoring_chunk_jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.scoring_failures
    ADD CONSTRAINT scoring_failures_pkey PRIMARY KEY (run_id, row_index, block_index);
ALTER TABLE ONLY public.scoring_moved_rows
    ADD CONSTRAINT scoring_moved_rows_pkey PRIMARY KEY (run_id, row_index);
ALTER TABLE ONLY public.scoring_questions
    ADD CONSTRAINT scoring_questions_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.scoring_rows
    ADD CONSTRAINT scoring_rows_pkey PRIMARY KEY (run_id, row_index);
ALTER TABLE ONLY public.scoring_run_jobs
    ADD CONSTRAINT scoring_run_jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.scoring_runs
    ADD CONSTRAINT scoring_runs_name_key UNIQUE (name);
ALTER TABLE ONLY public.scoring_runs
    ADD CONSTRAINT scoring_runs_pkey PRIMARY KEY (run_id);
ALTER TABLE ONLY public.scoring_scores
    ADD CONSTRAINT scoring_scores_pkey PRIMARY KEY (run_id, row_index, block_index);
ALTER TABLE ONLY public.scoring_sheet_jobs
    ADD CONSTRAINT scoring_sheet_jobs_pkey PRIMARY KEY (id);
CREATE INDEX scoring_cache_oldest ON public.scoring_cache USING btree (ts, key);
CREATE UNIQUE INDEX scoring_chunk_jobs_of_run ON public.scoring_chunk_jobs USING btree (run_id, chunk_no);
CREATE UNIQUE INDEX scoring_run_jobs_of_run ON public.scoring_run_jobs USING btree (run_id, round);
CREATE INDEX scoring_runs_newest ON public.scoring_runs USING btree (created_at, run_id);
CREATE INDEX scoring_scores_not_in_sheet ON public.scoring_scores USING btree (run_id, block_index, row_index) WHERE (NOT in_sheet);
CREATE UNIQUE INDEX scoring_sheet_jobs_of_run ON public.scoring_sheet_jobs USING btree (run_id);
CREATE INDEX scoring_sheet_jobs_of_sheet ON public.scoring_sheet_jobs USING btree (spreadsheet_id, tab);
CREATE TRIGGER rowrunner_delete AFTER DELETE ON public.scoring_chunk_jobs REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_delete('1', 'scoring_chunk', 'rowrunner.wakeup_scoring_chunk');
CREATE TRIGGER rowrunner_delete AFTER DELETE ON public.scoring_run_jobs REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_delete('2', 'scoring_run', 'rowrunner.wakeup_scoring_run');
CREATE TRIGGER rowrunner_delete AFTER DELETE ON public.scoring_sheet_jobs REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_delete('3', 'scoring_sheet', 'rowrunner.wakeup_scoring_sheet');
CREATE TRIGGER rowrunner_insert AFTER INSERT ON public.scoring_chunk_jobs REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_insert('1', 'scoring_chunk', 'rowrunner.wakeup_scoring_chunk');
CREATE TRIGGER rowrunner_insert AFTER INSERT ON public.scoring_run_jobs REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_insert('2', 'scoring_run', 'rowrunner.wakeup_scoring_run');
CREATE TRIGGER rowrunner_insert AFTER INSERT ON public.scoring_sheet_jobs REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_insert('3', 'scoring_sheet', 'rowrunner.wakeup_scoring_sheet');
CREATE TRIGGER rowrunner_parent_delete AFTER DELETE ON public.scoring_chunk_jobs REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_parent_delete('1', 'scoring_chunk', 'rowrunner.wakeup_scoring_chunk');
CREATE TRIGGER rowrunner_parent_update AFTER UPDATE ON public.scoring_chunk_jobs REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_parent_update('1', 'scoring_chunk', 'rowrunner.wakeup_scoring_chunk');
CREATE TRIGGER rowrunner_truncate AFTER TRUNCATE ON public.scoring_chunk_jobs FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_truncate('1', 'scoring_chunk', 'rowrunner.wakeup_scoring_chunk');
CREATE TRIGGER rowrunner_truncate AFTER TRUNCATE ON public.scoring_run_jobs FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_truncate('2', 'scoring_run', 'rowrunner.wakeup_scoring_run');
CREATE TRIGGER rowrunner_truncate AFTER TRUNCATE ON public.scoring_sheet_jobs FOR EACH STATEMENT EXECUTE FUNCTION rowrunner.on_truncate('3', 'scoring_sheet', 'rowrunner.wakeup_scoring_sheet');
CREATE TRIGGER rowrunner_update AFTER UPDATE ON public.scoring_chunk_jobs FOR EACH ROW WHEN (((new.status = ANY (ARRAY['queued'::text, 'failed'::text])) OR (old.status = 'failed'::text) OR ((new.status = 'processing'::text) AND ((new.lease IS NULL) OR (old.status <> ALL (ARRAY['queued'::text, 'processing'::text])))) OR ((old.status = 'queued'::text) AND (new.status <> 'processing'::text)) OR (new.id <> old.id))) EXECUTE FUNCTION rowrunner.on_update('1', 'scoring_chunk', 'rowrunner.wakeup_scoring_chunk');
CREATE TRIGGER rowrunner_update AFTER UPDATE ON public.scoring_run_jobs FOR EACH ROW WHEN (((new.status = ANY (ARRAY['queued'::text, 'failed'::text])) OR (old.status = 'failed'::text) OR ((new.status = 'processing'::text) AND ((new.lease IS NULL) OR (old.status <> ALL (ARRAY['queued'::text, 'processing'::text])))) OR ((old.status = 'queued'::text) AND (new.status <> 'processing'::text)) OR (new.id <> old.id))) EXECUTE FUNCTION rowrunner.on_update('2', 'scoring_run', 'rowrunner.wakeup_scoring_run');
CREATE TRIGGER rowrunner_update AFTER UPDATE ON public.scoring_sheet_jobs FOR EACH ROW WHEN (((new.status = ANY (ARRAY['queued'::text, 'failed'::text])) OR (old.status = 'failed'::text) OR ((new.status = 'processing'::text) AND ((new.lease IS NULL) OR (old.status <> ALL (ARRAY['queued'::text, 'processing'::text])))) OR ((old.status = 'queued'::text) AND (new.status <> 'processing'::text)) OR (new.id <> old.id))) EXECUTE FUNCTION rowrunner.on_update('3', 'scoring_sheet', 'rowrunner.wakeup_scoring_sheet');
ALTER TABLE ONLY public.scoring_budgets
    ADD CONSTRAINT scoring_budgets_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.scoring_runs(run_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.scoring_chunk_counts
    ADD CONSTRAINT scoring_chunk_counts_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.scoring_runs(run_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.scoring_failures
    ADD CONSTRAINT scoring_failures_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.scoring_runs(run_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.scoring_moved_rows
    ADD CONSTRAINT scoring_moved_rows_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.scoring_runs(run_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.scoring_rows
    ADD CONSTRAINT scoring_rows_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.scoring_runs(run_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.scoring_scores
    ADD CONSTRAINT scoring_scores_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.scoring_runs(run_id) ON DELETE CASCADE;
GRANT SELECT,INSERT,UPDATE ON TABLE public.scoring_budgets TO rowrunner_app;
GRANT SELECT,UPDATE ON TABLE public.scoring_budgets TO rowrunner_worker;
GRANT SELECT ON TABLE public.scoring_cache TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.scoring_cache TO rowrunner_worker;
GRANT SELECT,INSERT,UPDATE ON TABLE public.scoring_chunk_counts TO rowrunner_app;
GRANT SELECT,UPDATE ON TABLE public.scoring_chunk_counts TO rowrunner_worker;
GRANT SELECT,INSERT ON TABLE public.scoring_chunk_jobs TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.scoring_chunk_jobs TO rowrunner_worker;
GRANT SELECT(xmin) ON TABLE public.scoring_chunk_jobs TO rowrunner_job_writer;
GRANT SELECT(id) ON TABLE public.scoring_chunk_jobs TO rowrunner_job_writer;
GRANT SELECT(status),UPDATE(status) ON TABLE public.scoring_chunk_jobs TO rowrunner_job_writer;
GRANT SELECT(attempts),UPDATE(attempts) ON TABLE public.scoring_chunk_jobs TO rowrunner_job_writer;
GRANT SELECT(max_attempts) ON TABLE public.scoring_chunk_jobs TO rowrunner_job_writer;
GRANT SELECT(last_error),UPDATE(last_error) ON TABLE public.scoring_chunk_jobs TO rowrunner_job_writer;
GRANT SELECT(created_at) ON TABLE public.scoring_chunk_jobs TO rowrunner_job_writer;
GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE public.scoring_chunk_jobs TO rowrunner_job_writer;
GRANT UPDATE(locked_at) ON TABLE public.scoring_chunk_jobs TO rowrunner_job_writer;
GRANT SELECT(locked_by),UPDATE(locked_by) ON TABLE public.scoring_chunk_jobs TO rowrunner_job_writer;
GRANT SELECT(lease),UPDATE(lease) ON TABLE public.scoring_chunk_jobs TO rowrunner_job_writer;
GRANT SELECT(priority) ON TABLE public.scoring_chunk_jobs TO rowrunner_job_writer;
GRANT SELECT(run_at),UPDATE(run_at) ON TABLE public.scoring_chunk_jobs TO rowrunner_job_writer;
GRANT SELECT,DELETE ON TABLE public.scoring_failures TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.scoring_failures TO rowrunner_worker;
GRANT SELECT,DELETE ON TABLE public.scoring_moved_rows TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.scoring_moved_rows TO rowrunner_worker;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.scoring_questions TO rowrunner_worker;
GRANT SELECT,INSERT ON TABLE public.scoring_rows TO rowrunner_app;
GRANT SELECT ON TABLE public.scoring_rows TO rowrunner_worker;
GRANT SELECT,INSERT ON TABLE public.scoring_run_jobs TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.scoring_run_jobs TO rowrunner_worker;
GRANT SELECT(xmin) ON TABLE public.scoring_run_jobs TO rowrunner_job_writer;
GRANT SELECT(id) ON TABLE public.scoring_run_jobs TO rowrunner_job_writer;
GRANT SELECT(status),UPDATE(status) ON TABLE public.scoring_run_jobs TO rowrunner_job_writer;
GRANT SELECT(attempts),UPDATE(attempts) ON TABLE public.scoring_run_jobs TO rowrunner_job_writer;
GRANT SELECT(max_attempts) ON TABLE public.scoring_run_jobs TO rowrunner_job_writer;
GRANT SELECT(last_error),UPDATE(last_error) ON TABLE public.scoring_run_jobs TO rowrunner_job_writer;
GRANT SELECT(created_at) ON TABLE public.scoring_run_jobs TO rowrunner_job_writer;
GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE public.scoring_run_jobs TO rowrunner_job_writer;
GRANT UPDATE(locked_at) ON TABLE public.scoring_run_jobs TO rowrunner_job_writer;
GRANT SELECT(locked_by),UPDATE(locked_by) ON TABLE public.scoring_run_jobs TO rowrunner_job_writer;
GRANT SELECT(lease),UPDATE(lease) ON TABLE public.scoring_run_jobs TO rowrunner_job_writer;
GRANT SELECT(priority) ON TABLE public.scoring_run_jobs TO rowrunner_job_writer;
GRANT SELECT(run_at),UPDATE(run_at) ON TABLE public.scoring_run_jobs TO rowrunner_job_writer;
GRANT SELECT,INSERT,UPDATE ON TABLE public.scoring_runs TO rowrunner_app;
GRANT SELECT,UPDATE ON TABLE public.scoring_runs TO rowrunner_worker;
GRANT SELECT ON TABLE public.scoring_scores TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.scoring_scores TO rowrunner_worker;
GRANT UPDATE(in_sheet) ON TABLE public.scoring_scores TO rowrunner_app;
GRANT SELECT,INSERT ON TABLE public.scoring_sheet_jobs TO rowrunner_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.scoring_sheet_jobs TO rowrunner_worker;
GRANT SELECT(xmin) ON TABLE public.scoring_sheet_jobs TO rowrunner_job_writer;
GRANT SELECT(id) ON TABLE public.scoring_sheet_jobs TO rowrunner_job_writer;
GRANT SELECT(status),UPDATE(status) ON TABLE public.scoring_sheet_jobs TO rowrunner_job_writer;
GRANT SELECT(attempts),UPDATE(attempts) ON TABLE public.scoring_sheet_jobs TO rowrunner_job_writer;
GRANT SELECT(max_attempts) ON TABLE public.scoring_sheet_jobs TO rowrunner_job_writer;
GRANT SELECT(last_error),UPDATE(last_error) ON TABLE public.scoring_sheet_jobs TO rowrunner_job_writer;
GRANT SELECT(created_at) ON TABLE public.scoring_sheet_jobs TO rowrunner_job_writer;
GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE public.scoring_sheet_jobs TO rowrunner_job_writer;
GRANT UPDATE(locked_at) ON TABLE public.scoring_sheet_jobs TO rowrunner_job_writer;
GRANT SELECT(locked_by),UPDATE(locked_by) ON TABLE public.scoring_sheet_jobs TO rowrunner_job_writer;
GRANT SELECT(lease),UPDATE(lease) ON TABLE public.scoring_sheet_jobs TO rowrunner_job_writer;
GRANT SELECT(priority) ON TABLE public.scoring_sheet_jobs TO rowrunner_job_writer;
GRANT SELECT(run_at),UPDATE(run_at) ON TABLE public.scoring_sheet_jobs TO rowrunner_job_writer;
