-- What decides who a caller of the HTTP server is, as functions that want a proof. Code of the owner of a job table
-- runs as the server's login, too (docs/security.md), so that login may call these and touches none of the tables.
--
-- A proof is the SHA-256 of a secret: of a token, of a sign-in (web_session) or of a ticket. The tables have the
-- SHA-256 of the proof, so that who reads them, or a log of statements with their parameters, has no secret.
--
-- They belong to rowrunner_callers and read no job table: nothing that others wrote runs as that role.

-- Compares in a time that does not tell where they differ: of hashes that a caller cannot know beforehand.
CREATE FUNCTION rowrunner.same_hash(one bytea, other bytea) RETURNS boolean
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  SELECT sha256(same_hash.one || k.salt) = sha256(same_hash.other || k.salt)
  FROM (SELECT uuid_send(gen_random_uuid()) AS salt) k
$$;

-- Whose token, sign-in or ticket number $2 is, by its proof; no row if it proves nothing. A ticket is used up: of two
-- that show it at the same time, one gets the row, and a wrong proof leaves it.
CREATE FUNCTION rowrunner.caller(shown text, number bigint, proof bytea)
RETURNS TABLE (user_id text, role text, token_id bigint, web_session_id bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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

-- A sign-in by a token, for so many seconds but at most 12 hours; NULL without a proof. Those that are over are removed
-- on this occasion.
CREATE FUNCTION rowrunner.add_web_session(shown text, number bigint, proof bytea, new_hash bytea, seconds integer)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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

-- A ticket by a token or a sign-in, for so many seconds but at most 30; NULL without a proof.
CREATE FUNCTION rowrunner.add_ticket(shown text, number bigint, proof bytea, new_hash bytea, seconds integer)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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

-- Ends a sign-in; whether there was one with this proof.
CREATE FUNCTION rowrunner.end_web_session(shown text, number bigint, proof bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM rowrunner.web_sessions s
  WHERE end_web_session.shown = 'web_session' AND s.id = end_web_session.number
    AND rowrunner.same_hash(s.hash, sha256(end_web_session.proof));
  RETURN FOUND;
END
$$;

-- Withdraws all tokens of a user, with the sign-ins and tickets, if the proof is that of an admin: 'removed', 'denied',
-- 'unknown' if there is no such user, or 'last' if no other admin would be left. Tokens of admins are locked first, so
-- that two admins cannot remove each other at once.
CREATE FUNCTION rowrunner.remove_user(shown text, number bigint, proof bytea, removed text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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

-- Counts a call of a user to an endpoint if it is one of so many of this clock hour (UTC): whether it is, and the
-- seconds until the next hour. A call that waited for the row since the hour before counts for the newer one. It wants
-- no proof, since without any token there is none: a count can only grow before the hour is over.
CREATE FUNCTION rowrunner.count_call(caller_id text, called text, allowed integer)
RETURNS TABLE (counted boolean, seconds_left integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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

-- Whether there ever was a token. Revoked ones count: to revoke the last one must not open the server.
CREATE FUNCTION rowrunner.has_tokens() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
  'SELECT EXISTS (SELECT FROM rowrunner.tokens)';
