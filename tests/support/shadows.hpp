#pragma once

#include <gtest/gtest.h>

#include <string>

#include "support/postgres.hpp"

namespace rowrunner::testing {

// One function and one operator for each of the system's, and a domain for each of its types that
// has no keyword of its own, in a schema that comes first in the search_path of every new session.
// Code that means those of the system and does not name their schema calls these, and fails.
inline constexpr const char* shadows = R"sql(
CREATE SCHEMA shadow;
DO $$
DECLARE
  f record;
BEGIN
  FOR f IN SELECT p.proname, oidvectortypes(p.proargtypes) AS types, format_type(p.prorettype, NULL) AS result
           FROM pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f'
             AND NOT p.proretset AND p.prorettype NOT IN ('internal'::regtype, 'trigger'::regtype)
             AND p.provariadic = 0 LOOP
    BEGIN
      EXECUTE format('CREATE FUNCTION shadow.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', f.proname, f.types,
                     f.result, format('BEGIN RAISE %L; END', 'a shadow was called: ' || f.proname));
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
  END LOOP;
  FOR f IN SELECT o.oprname, format_type(o.oprleft, NULL) AS l, format_type(o.oprright, NULL) AS r,
                  c.proname, o.oprleft FROM pg_operator o JOIN pg_proc c ON c.oid = o.oprcode
           WHERE o.oprnamespace = 'pg_catalog'::regnamespace LOOP
    BEGIN
      EXECUTE format('CREATE OPERATOR shadow.%s (FUNCTION = shadow.%I%s, RIGHTARG = %s)', f.oprname,
                     f.proname, CASE WHEN f.oprleft <> 0 THEN ', LEFTARG = ' || f.l END, f.r);
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
  END LOOP;
  CREATE FUNCTION shadow.caught(anyelement) RETURNS boolean LANGUAGE plpgsql
    AS 'BEGIN RAISE ''a shadow was called: a type''; END';
  FOR f IN SELECT unnest(ARRAY['text', 'uuid', 'regclass', 'timestamptz', 'jsonb', 'oid', 'name', 'int4',
                               'int8', 'int2', 'bool', 'float8']) AS name LOOP
    EXECUTE format('CREATE DOMAIN shadow.%I AS pg_catalog.%1$I CHECK (shadow.caught(VALUE))', f.name);
  END LOOP;
END
$$;
GRANT USAGE ON SCHEMA shadow TO PUBLIC;
)sql";

/// The connection of the test itself keeps the usual path.
inline void cast_shadows(test_database& db) {
  db.exec(shadows);
  ASSERT_GT(std::stoi(db.value("SELECT count(*) FROM pg_proc"
                               " WHERE pronamespace = 'shadow'::regnamespace")),
            2000);
  ASSERT_GT(std::stoi(db.value("SELECT count(*) FROM pg_operator"
                               " WHERE oprnamespace = 'shadow'::regnamespace")),
            500);
  db.exec("ALTER DATABASE \"" + db.name() + "\" SET search_path = shadow, pg_catalog, public");
  pqxx::connection fresh(db.url());
  pqxx::work tx(fresh);
  EXPECT_THROW(tx.exec("SELECT now()"), pqxx::sql_error);
}

}  // namespace rowrunner::testing
