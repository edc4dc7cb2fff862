#include "support/permissions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "support/jobs.hpp"
#include "support/letters.hpp"
#include "support/migrate.hpp"
#include "support/own_server.hpp"
#include "support/paths.hpp"
#include "support/postgres.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {
namespace {

const std::vector<component> engine_only{admin::engine_component()};

class permissions : public ::testing::Test {
 protected:
  // With the password of the test's own user, so that url_of() works.
  static void allow_login(test_database& db, const std::string& role) {
    const auto from = db.url().find(':', db.url().find("://") + 3) + 1;
    const auto password = db.url().substr(from, db.url().find('@') - from);
    db.exec("ALTER ROLE " + role + " LOGIN PASSWORD '" + password + "'");
  }

  std::string listed() { return permissions_in(db_.connection()); }

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

// The lists of components are read by their own tests; what no list has would be seen by none.
TEST(all_permissions, of_a_database_with_all_components_are_in_a_list) {
  const auto lines_of = [](std::istream&& text, std::set<std::string>& lines) {
    for (std::string line; std::getline(text, line);) lines.insert(line);
  };
  std::set<std::string> known, now;
  for (const auto& file : std::filesystem::recursive_directory_iterator(source_dir() + "/tests")) {
    if (file.path().filename() == "permissions.txt") lines_of(std::ifstream(file.path()), known);
  }
  test_database db(test_database::contents::workloads);
  lines_of(std::istringstream(permissions_in(db.connection())), now);
  ASSERT_GT(now.size(), 200u);
  std::string unknown;
  const std::regex of_kind("sequence rowrunner\\.(wakeup|reached)_\\w+");
  for (const auto& each : now) {
    // Every kind has the same two sequences; what PUBLIC has, every role has.
    const auto line = std::regex_replace(each, of_kind, "sequence rowrunner.$1_letter");
    const auto of_public = "public" + line.substr(line.find(':'));
    if (!known.contains(line) && !known.contains(of_public)) unknown += line + '\n';
  }
  EXPECT_EQ(unknown, "");
}

// A permission that was granted by hand, or that a restore left behind.
TEST_F(permissions, are_set_again_by_a_migrate_that_has_nothing_else_to_do) {
  db_.exec(
      "GRANT ALL ON ALL FUNCTIONS IN SCHEMA rowrunner TO PUBLIC, rowrunner_worker;"
      "GRANT ALL ON ALL TABLES IN SCHEMA rowrunner TO PUBLIC, rowrunner_app, rowrunner_engine;"
      "GRANT UPDATE ON rowrunner.kinds TO rowrunner_worker;"
      "GRANT UPDATE (job_table) ON rowrunner.kinds TO rowrunner_worker, rowrunner_app;"
      "GRANT ALL ON ALL SEQUENCES IN SCHEMA rowrunner TO PUBLIC, rowrunner_app;"
      "GRANT ALL ON SCHEMA rowrunner TO PUBLIC, rowrunner_worker, rowrunner_engine;"
      "ALTER FUNCTION rowrunner.on_update() OWNER TO CURRENT_USER;"
      "REVOKE ALL ON letter_jobs FROM rowrunner_worker, rowrunner_job_writer, rowrunner_app;"
      "REVOKE EXECUTE ON FUNCTION rowrunner.cancel FROM rowrunner_app");
  ASSERT_NE(listed(), kept());
  EXPECT_TRUE(migrate(db_.url(), engine_only).applied.empty());
  EXPECT_EQ(listed(), kept());
}

// pg_restore runs the REVOKE and the GRANTs of an object as one: without the roles both fail, and
// PUBLIC keeps EXECUTE. Owners are lost as well, so definer functions run as the one who restored.
TEST_F(permissions, are_set_by_migrate_after_a_restore_without_roles) {
  own_server first, other;
  migrate(first.url(), engine_only);
  {
    pqxx::connection here(first.url());
    pqxx::nontransaction tx(here);
    tx.exec(std::string(letters_schema));
    tx.exec("INSERT INTO letter_jobs (batch_id, recipient) VALUES ('b', 'waiting')");
  }
  const std::string dump = ::testing::TempDir() + "/permissions.dump";
  ASSERT_EQ(run_process({"pg_dump", "-Fc", "-f", dump, first.url()}).exit_code, 0);
  // It complains of each role that is missing.
  const auto restored = run_process({"pg_restore", "-d", other.url(), dump});
  pqxx::connection there(other.url());
  const auto value = [&](const std::string& sql) {
    pqxx::work tx(there);
    return tx.exec(sql)[0][0].as<std::string>();
  };
  ASSERT_EQ(value("SELECT to_regclass('rowrunner.queue') IS NOT NULL"), "t") << restored.err;
  ASSERT_EQ(value("SELECT count(*) FROM rowrunner.queue"), "1");
  EXPECT_EQ(
      value(
          "SELECT has_function_privilege('public', 'rowrunner.cancel(text, uuid, text, boolean)', "
          "'EXECUTE')"),
      "t");
  EXPECT_TRUE(migrate(other.url(), engine_only).applied.empty());
  EXPECT_EQ(permissions_in(there), kept());
  EXPECT_EQ(value("SELECT rowrunner.claim('letter', 'w')->>'recipient'"), "waiting");
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
  pqxx::connection connection(db.url());
  if (db.value("SELECT current_setting('server_version_num')::int >= 160000") == "t") {
    db.exec(
        "GRANT rowrunner_engine, rowrunner_job_writer TO migrator"
        " WITH ADMIN OPTION");
  }
  allow_login(db, "migrator");
  migrate(db.url_of("migrator"), engine_only);
  {
    pqxx::connection as_migrator(db.url_of("migrator"));
    pqxx::nontransaction(as_migrator).exec(std::string(letters_schema));
  }
  migrate(db.url_of("migrator"), engine_only);
  EXPECT_EQ(permissions_in(connection), kept());
  migrate(db.url(), engine_only);  // and by a superuser
  EXPECT_EQ(permissions_in(connection), kept());
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
  allow_login(db, "powerless");
  try {
    migrate(db.url_of("powerless"), engine_only);
    FAIL() << "it may not";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("Let an administrator run: GRANT rowrunner_engine, "
                                     "rowrunner_job_writer TO powerless"));
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
      migrate(db_.url(), engine_only);
      ADD_FAILURE() << what;
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(" belongs to preparer")) << what;
    }
    db_.exec("ALTER " + what + " OWNER TO " + me);
    migrate(db_.url(), engine_only);
  }
}

// A name without a schema must mean the system's. Bodies that were parsed when the function was
// made keep what they meant; the triggers that are not named here name everything with its schema.
TEST_F(permissions, every_function_has_a_fixed_search_path) {
  EXPECT_EQ(db_.value("SELECT string_agg(p.oid::regprocedure::text, ', ' ORDER BY p.proname)"
                      " FROM pg_proc p WHERE p.pronamespace = 'rowrunner'::regnamespace"
                      " AND p.prosqlbody IS NULL"
                      " AND NOT coalesce(p.proconfig @> ARRAY['search_path=pg_catalog, pg_temp'],"
                      "                  false)"),
            "rowrunner.on_insert()");
}

}  // namespace
}  // namespace rowrunner::testing
