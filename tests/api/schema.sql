-- What db/migrations/api makes of an empty database; written by scripts/dump-schema.
CREATE FUNCTION rowrunner.add_ticket(shown text, number bigint, proof bytea, new_hash bytea, seconds integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  added bigint;
BEGIN
  -- A ticket that makes the next one would never end.
  IF add_ticket.shown = 'ticket' THEN RETURN NULL; END IF;
  DELETE FROM rowrunner.tickets k
  WHERE k.id IN (SELECT e.id FROM rowrunner.tickets e WHERE e.expires_at <= now()
                 ORDER BY e.expires_at LIMIT 100 FOR UPDATE SKIP LOCKED);
  INSERT INTO rowrunner.tickets AS k (hash, token_id, expires_at)
  SELECT add_ticket.new_hash, c.token_id, now() + make_interval(secs => least(add_ticket.seconds, 30))
  FROM rowrunner.caller(add_ticket.shown, add_ticket.number, add_ticket.proof) c
  RETURNING k.id INTO added;
  RETURN added;
END
$$;
CREATE FUNCTION rowrunner.add_web_session(shown text, number bigint, proof bytea, new_hash bytea, seconds integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  added bigint;
BEGIN
  IF add_web_session.shown <> 'token' THEN RETURN NULL; END IF;
  DELETE FROM rowrunner.web_sessions s
  WHERE s.id IN (SELECT e.id FROM rowrunner.web_sessions e WHERE e.expires_at <= now()
                 ORDER BY e.expires_at LIMIT 100 FOR UPDATE SKIP LOCKED);
  INSERT INTO rowrunner.web_sessions AS s (hash, token_id, expires_at)
  SELECT add_web_session.new_hash, c.token_id,
         now() + make_interval(secs => least(add_web_session.seconds, 12 * 60 * 60))
  FROM rowrunner.caller(add_web_session.shown, add_web_session.number, add_web_session.proof) c
  RETURNING s.id INTO added;
  RETURN added;
END
$$;
CREATE FUNCTION rowrunner.caller(shown text, number bigint, proof bytea) RETURNS TABLE(user_id text, role text, token_id bigint, web_session_id bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF caller.shown = 'token' THEN
    RETURN QUERY
      SELECT t.user_id, t.role, t.id, 0::bigint FROM rowrunner.tokens t
      WHERE t.id = caller.number AND rowrunner.same_hash(t.hash, sha256(caller.proof)) AND t.revoked_at IS NULL;
  ELSIF caller.shown = 'web_session' THEN
    RETURN QUERY
      SELECT t.user_id, t.role, t.id, s.id
      FROM rowrunner.web_sessions s JOIN rowrunner.tokens t ON t.id = s.token_id
      WHERE s.id = caller.number AND rowrunner.same_hash(s.hash, sha256(caller.proof)) AND s.expires_at > now()
        AND t.revoked_at IS NULL;
  ELSIF caller.shown = 'ticket' THEN
    RETURN QUERY
      WITH taken AS (
        DELETE FROM rowrunner.tickets k
        WHERE k.id = caller.number AND rowrunner.same_hash(k.hash, sha256(caller.proof))
        RETURNING k.token_id, k.expires_at
      )
      SELECT t.user_id, t.role, t.id, 0::bigint FROM taken k JOIN rowrunner.tokens t ON t.id = k.token_id
      WHERE k.expires_at > now() AND t.revoked_at IS NULL;
  END IF;
END
$$;
CREATE FUNCTION rowrunner.count_call(caller_id text, called text, allowed integer) RETURNS TABLE(counted boolean, seconds_left integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  RETURN QUERY
    WITH this AS (
      SELECT date_trunc('hour', now(), 'UTC') AS hour
    ), taken AS (
      INSERT INTO rowrunner.call_counts AS c (user_id, endpoint, hour, calls)
      SELECT count_call.caller_id, count_call.called, t.hour, 1 FROM this t
      ON CONFLICT (user_id, endpoint) DO UPDATE
      SET hour = greatest(c.hour, excluded.hour),
          calls = CASE WHEN c.hour < excluded.hour THEN 1 ELSE c.calls + 1 END
      WHERE c.hour < excluded.hour OR c.calls < count_call.allowed
      RETURNING c.calls
    )
    SELECT EXISTS (SELECT FROM taken),
           greatest(1, ceil(extract(epoch FROM t.hour + interval '1 hour' - now())))::integer
    FROM this t;
END
$$;
CREATE FUNCTION rowrunner.end_web_session(shown text, number bigint, proof bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  DELETE FROM rowrunner.web_sessions s
  WHERE end_web_session.shown = 'web_session' AND s.id = end_web_session.number
    AND rowrunner.same_hash(s.hash, sha256(end_web_session.proof));
  RETURN FOUND;
END
$$;
CREATE FUNCTION rowrunner.has_tokens() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$SELECT EXISTS (SELECT FROM rowrunner.tokens)$$;
CREATE FUNCTION rowrunner.remove_user(shown text, number bigint, proof bytea, removed text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  result text;
BEGIN
  IF NOT EXISTS (SELECT FROM rowrunner.caller(remove_user.shown, remove_user.number, remove_user.proof) c
                 WHERE c.role = 'admin') THEN
    RETURN 'denied';
  END IF;
  WITH admins AS MATERIALIZED (
    SELECT t.user_id FROM rowrunner.tokens t WHERE t.role = 'admin' AND t.revoked_at IS NULL ORDER BY t.id
    FOR NO KEY UPDATE
  ), facts AS MATERIALIZED (
    SELECT EXISTS (SELECT FROM rowrunner.tokens t
                   WHERE t.user_id = remove_user.removed AND t.revoked_at IS NULL) AS known,
           NOT EXISTS (SELECT FROM admins a WHERE a.user_id = remove_user.removed)
           OR EXISTS (SELECT FROM admins a WHERE a.user_id <> remove_user.removed) AS allowed
  ), revoked AS (
    UPDATE rowrunner.tokens t SET revoked_at = now() FROM facts f
    WHERE f.known AND f.allowed AND t.user_id = remove_user.removed AND t.revoked_at IS NULL RETURNING t.id
  ), ended AS (
    DELETE FROM rowrunner.web_sessions s USING revoked r WHERE s.token_id = r.id
  ), used AS (
    DELETE FROM rowrunner.tickets k USING revoked r WHERE k.token_id = r.id
  )
  SELECT CASE WHEN NOT f.known THEN 'unknown' WHEN NOT f.allowed THEN 'last' ELSE 'removed' END INTO result
  FROM facts f;
  RETURN result;
END
$$;
CREATE FUNCTION rowrunner.same_hash(one bytea, other bytea) RETURNS boolean
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT sha256(same_hash.one || k.salt) = sha256(same_hash.other || k.salt)
  FROM (SELECT uuid_send(gen_random_uuid()) AS salt) k
$$;
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
GRANT USAGE ON SCHEMA rowrunner TO rowrunner_callers;
GRANT USAGE ON SCHEMA rowrunner TO rowrunner_server;
REVOKE ALL ON FUNCTION rowrunner.add_ticket(shown text, number bigint, proof bytea, new_hash bytea, seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.add_ticket(shown text, number bigint, proof bytea, new_hash bytea, seconds integer) TO rowrunner_server;
REVOKE ALL ON FUNCTION rowrunner.add_web_session(shown text, number bigint, proof bytea, new_hash bytea, seconds integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.add_web_session(shown text, number bigint, proof bytea, new_hash bytea, seconds integer) TO rowrunner_server;
REVOKE ALL ON FUNCTION rowrunner.caller(shown text, number bigint, proof bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.caller(shown text, number bigint, proof bytea) TO rowrunner_server;
GRANT UPDATE(paused) ON TABLE rowrunner.kinds TO rowrunner_server;
REVOKE ALL ON FUNCTION rowrunner.count_call(caller_id text, called text, allowed integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.count_call(caller_id text, called text, allowed integer) TO rowrunner_server;
REVOKE ALL ON FUNCTION rowrunner.end_web_session(shown text, number bigint, proof bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.end_web_session(shown text, number bigint, proof bytea) TO rowrunner_server;
REVOKE ALL ON FUNCTION rowrunner.has_tokens() FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.has_tokens() TO rowrunner_server;
REVOKE ALL ON FUNCTION rowrunner.remove_user(shown text, number bigint, proof bytea, removed text) FROM PUBLIC;
GRANT ALL ON FUNCTION rowrunner.remove_user(shown text, number bigint, proof bytea, removed text) TO rowrunner_server;
REVOKE ALL ON FUNCTION rowrunner.same_hash(one bytea, other bytea) FROM PUBLIC;
GRANT SELECT,INSERT,UPDATE ON TABLE rowrunner.call_counts TO rowrunner_callers;
GRANT SELECT ON TABLE rowrunner.migrations TO rowrunner_server;
GRANT SELECT,INSERT,UPDATE ON TABLE rowrunner.operations TO rowrunner_server;
GRANT SELECT ON TABLE rowrunner.schema_info TO rowrunner_server;
GRANT SELECT,INSERT,DELETE ON TABLE rowrunner.tickets TO rowrunner_callers;
GRANT UPDATE(expires_at) ON TABLE rowrunner.tickets TO rowrunner_callers;
GRANT SELECT ON TABLE rowrunner.tokens TO rowrunner_callers;
GRANT UPDATE(revoked_at) ON TABLE rowrunner.tokens TO rowrunner_callers;
GRANT SELECT,INSERT,DELETE ON TABLE rowrunner.web_sessions TO rowrunner_callers;
GRANT UPDATE(expires_at) ON TABLE rowrunner.web_sessions TO rowrunner_callers;
