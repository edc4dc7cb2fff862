#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "admin/migrator.hpp"
#include "apps/workloads.hpp"
#include "support/jobs.hpp"
#include "support/own_server.hpp"
#include "support/paths.hpp"
#include "support/postgres.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {
namespace {

// Every permission that a role has on an object of the engine or of the shipped workload, and the
// owner of every SECURITY DEFINER function. has_*_privilege tells what really counts: a permission
// of PUBLIC, of a role or of an owner.
constexpr const char* all_permissions = R"sql(
WITH role (name) AS (
  VALUES ('public'), ('rowrunner_app'), ('rowrunner_worker'), ('rowrunner_engine'),
         ('rowrunner_job_writer'), ('rowrunner_spots'), ('rowrunner_server')
), relation AS (
  SELECT c.oid, c.oid::regclass::text AS name, c.relkind FROM pg_class c
  WHERE c.relkind IN ('r', 'v', 'm', 'S') AND (c.relnamespace = 'rowrunner'::regnamespace
     OR c.oid IN ('public.spot_image_jobs'::regclass, 'public.spots'::regclass,
                  'public.travel_plans'::regclass))
), function AS (
  SELECT p.oid, p.oid::regprocedure::text AS name, p.prosecdef, p.proowner FROM pg_proc p
  WHERE p.pronamespace = 'rowrunner'::regnamespace
     OR (p.pronamespace = 'public'::regnamespace AND p.proname LIKE 'spot%')
)
SELECT format('%s: %s on schema %s', r.name, p, s)
FROM role r, unnest(ARRAY['USAGE', 'CREATE']) p, unnest(ARRAY['rowrunner']) s
WHERE has_schema_privilege(r.name, s, p)
UNION ALL
SELECT format('%s: %s on %s', r.name, string_agg(p, ', ' ORDER BY n), t.name)
FROM role r, relation t, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES',
                                      'TRIGGER']) WITH ORDINALITY AS u (p, n)
WHERE t.relkind <> 'S' AND has_table_privilege(r.name, t.oid, p)
GROUP BY r.name, t.name
UNION ALL
SELECT format('%s: %s (%s) on %s', r.name, p, a.attname, t.name)
FROM role r, relation t, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) p, pg_attribute a
WHERE t.relkind <> 'S' AND a.attrelid = t.oid AND NOT a.attisdropped AND a.attnum > 0
  AND has_column_privilege(r.name, t.oid, a.attnum, p) AND NOT has_table_privilege(r.name, t.oid, p)
UNION ALL
SELECT format('%s: %s on sequence %s', r.name, string_agg(p, ', ' ORDER BY n), t.name)
FROM role r, relation t, unnest(ARRAY['SELECT', 'USAGE', 'UPDATE']) WITH ORDINALITY AS u (p, n)
WHERE t.relkind = 'S' AND has_sequence_privilege(r.name, t.oid, p)
GROUP BY r.name, t.name
UNION ALL
SELECT format('%s: EXECUTE on %s', r.name, f.name)
FROM role r, function f WHERE has_function_privilege(r.name, f.oid, 'EXECUTE')
UNION ALL
SELECT format('%s: owner of SECURITY DEFINER %s', o.rolname, f.name)
FROM function f JOIN pg_roles o ON o.oid = f.proowner WHERE f.prosecdef
)sql";

class permissions : public ::testing::Test {
 protected:
  std::string listed() { return listed(db_.connection()); }
  static std::string listed(pqxx::connection& connection) {
    std::string out;
    const auto query = "SELECT line FROM (" + std::string(all_permissions) +
                       ") x (line) ORDER BY line COLLATE \"C\"";
    pqxx::work tx(connection);
    tx.exec("SET LOCAL search_path = pg_catalog");
    for (const auto& row : tx.exec(query)) out += row[0].as<std::string>() + '\n';
    return out;
  }

  static std::string kept() {
    std::ifstream file(source_dir() + "/tests/attack/permissions.txt");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  test_database db_;
};

// What is added is denied until a line of tests/attack/permissions.txt says otherwise.
TEST_F(permissions, of_every_role_are_those_of_the_list) {
  const auto now = listed();
  if (now != kept()) std::ofstream("permissions.txt.new") << now;
  EXPECT_EQ(now, kept()) << "permissions changed: if that is meant, update "
                            "tests/attack/permissions.txt (permissions.txt.new has what is true)";
}

// A permission that somebody gave, or that a restore left behind.
TEST_F(permissions, are_set_again_by_a_migrate_that_has_nothing_else_to_do) {
  db_.exec(
      "GRANT ALL ON ALL FUNCTIONS IN SCHEMA rowrunner TO PUBLIC, rowrunner_worker;"
      "GRANT ALL ON ALL TABLES IN SCHEMA rowrunner TO PUBLIC, rowrunner_app, rowrunner_engine;"
      "GRANT UPDATE ON rowrunner.kinds TO rowrunner_worker;"
      "GRANT UPDATE (job_table) ON rowrunner.kinds TO rowrunner_worker, rowrunner_app;"
      "GRANT ALL ON ALL SEQUENCES IN SCHEMA rowrunner TO PUBLIC, rowrunner_app;"
      "GRANT ALL ON SCHEMA rowrunner TO PUBLIC, rowrunner_worker, rowrunner_engine;"
      "GRANT ALL ON spots TO rowrunner_worker;"
      "ALTER FUNCTION rowrunner.on_update() OWNER TO CURRENT_USER;"
      "REVOKE ALL ON spot_image_jobs FROM rowrunner_worker, rowrunner_job_writer, rowrunner_app;"
      "REVOKE EXECUTE ON FUNCTION rowrunner.cancel FROM rowrunner_app");
  ASSERT_NE(listed(), kept());
  EXPECT_TRUE(migrate(db_.connection(), all_components()).applied.empty());
  EXPECT_EQ(listed(), kept());
}

// pg_restore runs the REVOKE and the GRANTs of an object as one: without the roles both fail, and
// PUBLIC keeps EXECUTE. Owners are lost as well, so definer functions run as the one who restored.
TEST_F(permissions, are_set_by_migrate_after_a_restore_without_roles) {
  own_server other;
  const std::string dump = ::testing::TempDir() + "/permissions.dump";
  insert_job(db_, "waiting");
  ASSERT_EQ(run_process({"pg_dump", "-Fc", "-f", dump, db_.url()}).exit_code, 0);
  run_process({"pg_restore", "-d", other.url(), dump});
  pqxx::connection there(other.url());
  const auto value = [&](const std::string& sql) {
    pqxx::work tx(there);
    return tx.exec(sql)[0][0].as<std::string>();
  };
  ASSERT_EQ(value("SELECT count(*) FROM rowrunner.queue"), "1");
  EXPECT_EQ(value("SELECT has_function_privilege('public', 'rowrunner.cancel(text, uuid, text)', "
                  "'EXECUTE')"),
            "t");
  EXPECT_TRUE(migrate(there, all_components()).applied.empty());
  EXPECT_EQ(listed(there), kept());
  EXPECT_EQ(value("SELECT rowrunner.claim('spot_image', 'w')->>'spot_name'"), "waiting");
}

// A role that is no superuser migrates if it may create roles, or has those that it must give
// functions to.
TEST_F(permissions, are_set_by_an_owner_of_the_database_who_is_no_superuser) {
  test_database db(test_database::contents::empty);
  db.exec(
      "DO $$ BEGIN CREATE ROLE migrator LOGIN CREATEROLE;"
      " EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;"
      "ALTER DATABASE \"" +
      db.name() + "\" OWNER TO migrator");
  pqxx::connection as_migrator(db.url());
  const auto set = [&](const char* sql) { pqxx::nontransaction(as_migrator).exec(sql); };
  if (db.value("SELECT current_setting('server_version_num')::int >= 160000") == "t") {
    db.exec(
        "GRANT rowrunner_engine, rowrunner_job_writer, rowrunner_spots TO migrator"
        " WITH ADMIN OPTION");
  }
  set("SET SESSION AUTHORIZATION migrator");
  migrate(as_migrator, all_components());
  migrate(as_migrator, all_components());
  set("RESET SESSION AUTHORIZATION");
  EXPECT_EQ(listed(as_migrator), kept());
  migrate(as_migrator, all_components());  // and by a superuser
  EXPECT_EQ(listed(as_migrator), kept());
  EXPECT_EQ(db.value("SELECT count(*) FROM pg_proc WHERE prosecdef"
                     " AND pg_get_userbyid(proowner) NOT LIKE 'rowrunner%'"),
            "0");
}

TEST_F(permissions, that_cannot_be_set_are_explained) {
  test_database db(test_database::contents::empty);
  db.exec(
      "DO $$ BEGIN CREATE ROLE powerless LOGIN;"
      " EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;"
      "ALTER DATABASE \"" +
      db.name() + "\" OWNER TO powerless");
  pqxx::connection connection(db.url());
  pqxx::nontransaction(connection).exec("SET SESSION AUTHORIZATION powerless");
  try {
    migrate(connection, all_components());
    FAIL() << "it may not";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("Let an administrator run: GRANT rowrunner_engine, "
                                     "rowrunner_job_writer, rowrunner_spots TO powerless"));
  }
}

// A role that may create schemas can prepare one, with real tables and a ledger, that migrate would
// trust.
TEST_F(permissions, are_not_set_in_a_schema_that_another_role_prepared) {
  db_.exec(
      "DO $$ BEGIN CREATE ROLE preparer NOLOGIN;"
      " EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;");
  const auto me = db_.value("SELECT quote_ident(current_user)");
  for (const std::string what :
       {"SCHEMA rowrunner", "TABLE rowrunner.migrations", "FUNCTION rowrunner.wake"}) {
    db_.exec("ALTER " + what + " OWNER TO preparer");
    try {
      migrate(db_.connection(), all_components());
      ADD_FAILURE() << what;
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(" belongs to preparer")) << what;
    }
    db_.exec("ALTER " + what + " OWNER TO " + me);
    migrate(db_.connection(), all_components());
  }
}

// A name without a schema must mean the system's. Bodies that were parsed when the function was
// made keep what they meant; the triggers that are not named here name everything with its schema.
TEST_F(permissions, every_function_has_a_fixed_search_path) {
  EXPECT_EQ(db_.value("SELECT string_agg(p.oid::regprocedure::text, ', ' ORDER BY p.proname)"
                      " FROM pg_proc p WHERE (p.pronamespace = 'rowrunner'::regnamespace"
                      " OR (p.pronamespace = 'public'::regnamespace AND p.proname LIKE 'spot%'))"
                      " AND p.prosqlbody IS NULL"
                      " AND NOT coalesce(p.proconfig @> ARRAY['search_path=pg_catalog, pg_temp'],"
                      "                  false)"),
            "rowrunner.on_insert(), spots_follow_jobs()");
}

}  // namespace
}  // namespace rowrunner::testing
