-- What db/migrations/api makes of an empty database; written by scripts/dump-schema.
CREATE TABLE rowrunner.call_counts (
    user_id text NOT NULL,
    endpoint text NOT NULL,
    hour timestamp with time zone NOT NULL,
    calls integer NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE rowrunner.operations (
    id bigint NOT NULL,
    kind text NOT NULL,
    fingerprint bigint,
    user_id text NOT NULL,
    state text DEFAULT 'running'::text NOT NULL,
    error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    ended_at timestamp with time zone,
    matching bigint DEFAULT 0 NOT NULL,
    requeued bigint DEFAULT 0 NOT NULL,
    skipped bigint DEFAULT 0 NOT NULL,
    after_failed_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    after_job_id uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
    second_pass boolean DEFAULT false NOT NULL,
    CONSTRAINT operations_state_check CHECK ((state = ANY (ARRAY['running'::text, 'done'::text, 'cancelled'::text, 'failed'::text])))
)
WITH (fillfactor='50');
ALTER TABLE rowrunner.operations ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME rowrunner.operations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE rowrunner.tickets (
    id bigint NOT NULL,
    hash bytea NOT NULL,
    token_id bigint NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT tickets_hash_check CHECK ((octet_length(hash) = 32))
);
ALTER TABLE rowrunner.tickets ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME rowrunner.tickets_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE rowrunner.tokens (
    id bigint NOT NULL,
    hash bytea NOT NULL,
    user_id text NOT NULL,
    role text NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    revoked_at timestamp with time zone,
    CONSTRAINT tokens_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT tokens_name_check CHECK ((char_length(name) <= 200)),
    CONSTRAINT tokens_role_check CHECK ((role = ANY (ARRAY['user'::text, 'viewer'::text, 'operator'::text, 'admin'::text]))),
    CONSTRAINT tokens_user_id_check CHECK (((char_length(user_id) >= 1) AND (char_length(user_id) <= 200)))
);
ALTER TABLE rowrunner.tokens ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME rowrunner.tokens_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE rowrunner.web_sessions (
    id bigint NOT NULL,
    hash bytea NOT NULL,
    token_id bigint NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT web_sessions_hash_check CHECK ((octet_length(hash) = 32))
);
ALTER TABLE rowrunner.web_sessions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME rowrunner.web_sessions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY rowrunner.call_counts
    ADD CONSTRAINT call_counts_pkey PRIMARY KEY (user_id, endpoint);
ALTER TABLE ONLY rowrunner.operations
    ADD CONSTRAINT operations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY rowrunner.tickets
    ADD CONSTRAINT tickets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY rowrunner.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY rowrunner.web_sessions
    ADD CONSTRAINT web_sessions_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX operations_running ON rowrunner.operations USING btree (kind, COALESCE((fingerprint)::text, ''::text)) WHERE (state = 'running'::text);
CREATE INDEX tickets_expire ON rowrunner.tickets USING btree (expires_at);
CREATE INDEX tickets_token ON rowrunner.tickets USING btree (token_id);
CREATE INDEX web_sessions_expire ON rowrunner.web_sessions USING btree (expires_at);
CREATE INDEX web_sessions_token ON rowrunner.web_sessions USING btree (token_id);
ALTER TABLE ONLY rowrunner.tickets
    ADD CONSTRAINT tickets_token_id_fkey FOREIGN KEY (token_id) REFERENCES rowrunner.tokens(id) ON DELETE CASCADE;
ALTER TABLE ONLY rowrunner.web_sessions
    ADD CONSTRAINT web_sessions_token_id_fkey FOREIGN KEY (token_id) REFERENCES rowrunner.tokens(id) ON DELETE CASCADE;
GRANT USAGE ON SCHEMA rowrunner TO rowrunner_server;
GRANT UPDATE(paused) ON TABLE rowrunner.kinds TO rowrunner_server;
GRANT SELECT,INSERT,UPDATE ON TABLE rowrunner.call_counts TO rowrunner_server;
GRANT SELECT ON TABLE rowrunner.migrations TO rowrunner_server;
GRANT SELECT,INSERT,UPDATE ON TABLE rowrunner.operations TO rowrunner_server;
GRANT SELECT ON TABLE rowrunner.schema_info TO rowrunner_server;
GRANT SELECT,INSERT,DELETE ON TABLE rowrunner.tickets TO rowrunner_server;
GRANT UPDATE(expires_at) ON TABLE rowrunner.tickets TO rowrunner_server;
GRANT SELECT ON TABLE rowrunner.tokens TO rowrunner_server;
GRANT UPDATE(revoked_at) ON TABLE rowrunner.tokens TO rowrunner_server;
GRANT SELECT,INSERT,DELETE ON TABLE rowrunner.web_sessions TO rowrunner_server;
GRANT UPDATE(expires_at) ON TABLE rowrunner.web_sessions TO rowrunner_server;
