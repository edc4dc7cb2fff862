-- What every statement of a session runs under. Names without a schema are the system's alone if $1: in any other
-- schema of the path another role may have made one of the same name. A statement gets $2 milliseconds and waits $3 of
-- them for a lock (0: as the server is set); a shorter limit of the role, the database or the server stays in force.
-- $4: until the transaction ends, which is what works behind a pooler, or for the session.
SELECT CASE WHEN $1::pg_catalog.bool
            THEN pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', $4::pg_catalog.bool) END,
       pg_catalog.set_config('statement_timeout',
                             CASE WHEN own.statement OPERATOR(pg_catalog.>) '0' AND
                                       own.statement OPERATOR(pg_catalog.<) wanted.statement
                                  THEN pg_catalog.current_setting('statement_timeout') ELSE $2 END,
                             $4::pg_catalog.bool),
       CASE WHEN wanted.lock OPERATOR(pg_catalog.>) '0' AND
                 (own.lock OPERATOR(pg_catalog.=) '0' OR own.lock OPERATOR(pg_catalog.>) wanted.lock)
            THEN pg_catalog.set_config('lock_timeout', $3, $4::pg_catalog.bool) END
FROM (SELECT pg_catalog.current_setting('statement_timeout')::pg_catalog.interval,
             pg_catalog.current_setting('lock_timeout')::pg_catalog.interval) own (statement, lock),
     (SELECT ($2 OPERATOR(pg_catalog.||) ' ms')::pg_catalog.interval,
             ($3 OPERATOR(pg_catalog.||) ' ms')::pg_catalog.interval) wanted (statement, lock)
