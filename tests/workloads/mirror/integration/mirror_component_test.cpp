#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "support/command.hpp"
#include "support/paths.hpp"
#include "workloads/mirror/support/mirror_fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class mirror_component : public mirror_fixture {
 protected:
  process_result run(const std::vector<std::string>& arguments, process_environment more = {}) {
    std::vector<std::string> argv{rowrunner_binary()};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    more.emplace("DATABASE_URL", db_.url());
    return run_process(argv, more);
  }

  process_environment redis() {
    return {{"REDIS_HOST", "127.0.0.1"}, {"REDIS_PORT", std::to_string(redis_.port())}};
  }

  std::string triggers() {
    return db_.value(
        "SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'rowrunner_mirror%'"
        " AND tgrelid = 'doc_jobs'::regclass");
  }
};

TEST_F(mirror_component, a_worker_with_redis_mirrors_and_one_without_does_not) {
  add("job");
  const std::vector<std::string> drain{"worker", "--handler", "doc=noop", "--drain"};
  const auto plain = run(drain);
  EXPECT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_TRUE(in_redis("job").is_null());
  add("other");
  const auto with = run(drain, redis());
  EXPECT_EQ(with.exit_code, 0) << with.err;
  EXPECT_EQ(status_in_redis("other"), "completed") << with.err;
  EXPECT_EQ(status_in_redis("job"), "completed");
  EXPECT_THAT(with.err, HasSubstr("statuses are mirrored"));
}

TEST_F(mirror_component, jobs_run_without_a_redis_that_was_configured) {
  add("job");
  const auto done = run({"worker", "--handler", "doc=noop", "--drain"},
                        {{"REDIS_URL", "redis://:hunter2@127.0.0.1:1"}});
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_EQ(db_.value("SELECT status FROM doc_jobs"), "succeeded");
  EXPECT_THAT(done.err, HasSubstr("statuses cannot be mirrored now"));
  EXPECT_THAT(done.err, Not(HasSubstr("hunter2")));
  const auto refused = run({"worker", "--drain"}, {{"REDIS_URL", "rediss://:hunter2@cache"}});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("without TLS only"));
  EXPECT_THAT(refused.err, Not(HasSubstr("hunter2")));
}

TEST_F(mirror_component, migrate_mirrors_kinds_with_a_public_id_where_redis_is_configured) {
  db_.exec("SELECT rowrunner_mirror.disable('doc')");
  EXPECT_EQ(triggers(), "0");
  EXPECT_EQ(run({"migrate"}).exit_code, 0);
  EXPECT_EQ(triggers(), "0") << "others pay nothing";
  const auto with = run({"migrate"}, redis());
  EXPECT_EQ(with.exit_code, 0) << with.err;
  EXPECT_EQ(triggers(), "3");
  EXPECT_EQ(run({"migrate"}, redis()).exit_code, 0) << "again";
  EXPECT_EQ(triggers(), "3");
}

TEST_F(mirror_component, has_the_schema_that_is_kept) {
  std::ifstream file(source_dir() + "/tests/workloads/mirror/schema.sql");
  std::string kept(std::istreambuf_iterator<char>(file), {});
  kept.erase(0, kept.find('\n') + 1);  // the line that says where it comes from
  const test_database db(test_database::contents::empty);
  command(db).out({"migrate", "--only", "mirror"});
  const auto dump =
      run_process({source_dir() + "/scripts/dump-schema", db.url(), "--exclude-schema=rowrunner"});
  ASSERT_EQ(dump.exit_code, 0) << dump.err;
  EXPECT_THAT(dump.out, HasSubstr("CREATE TABLE rowrunner_mirror.changes"));
  EXPECT_TRUE(kept == dump.out) << "schema.sql is out of date: run scripts/dump-schema";
}

TEST_F(mirror_component, a_kind_without_a_public_id_is_refused) {
  db_.exec("CREATE TABLE other_jobs (LIKE doc_jobs INCLUDING ALL)");
  db_.exec("SELECT rowrunner.attach('other_jobs', kind => 'other')");
  try {
    db_.exec("SELECT rowrunner_mirror.enable('other')");
    FAIL();
  } catch (const pqxx::sql_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("kind other has no public id"));
  }
}

TEST_F(mirror_component, a_detached_kind_is_forgotten_and_its_table_still_works) {
  db_.exec("SELECT rowrunner.detach('doc')");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner_mirror.kinds"), "0");
  db_.exec("INSERT INTO doc_jobs (job_id) VALUES ('plain')");
  db_.exec("DELETE FROM doc_jobs");
}

// The mirror runs with the permissions of a worker or of a server, and its trigger with its own.
TEST_F(mirror_component, permissions) {
  const auto may = [&](const std::string& role, const std::string& what, const std::string& table) {
    return db_.value("SELECT has_table_privilege('" + role + "', 'rowrunner_mirror." + table +
                     "', '" + what + "')") == "t";
  };
  for (const std::string role : {"rowrunner_worker", "rowrunner_server"}) {
    EXPECT_TRUE(may(role, "DELETE", "changes")) << role;
    EXPECT_FALSE(may(role, "INSERT", "changes")) << role;
    EXPECT_FALSE(may(role, "INSERT", "kinds")) << role;
    EXPECT_FALSE(may(role, "DELETE", "kinds")) << role;
  }
  EXPECT_FALSE(may("rowrunner_app", "SELECT", "changes"));
  EXPECT_FALSE(may("rowrunner_mirror", "DELETE", "changes"));
  EXPECT_EQ(db_.value("SELECT proowner::regrole || ' ' || prosecdef FROM pg_proc"
                      " WHERE proname = 'note_changes'"),
            "rowrunner_mirror true");
  EXPECT_EQ(db_.value("SELECT count(*) FROM pg_proc p, unnest(ARRAY['rowrunner_app',"
                      " 'rowrunner_worker', 'rowrunner_server']) r WHERE p.pronamespace ="
                      " 'rowrunner_mirror'::regnamespace AND has_function_privilege(r, p.oid,"
                      " 'EXECUTE')"),
            "0");
}

TEST_F(mirror_component, an_application_that_may_only_insert_jobs_can) {
  db_.exec(
      "UPDATE rowrunner_mirror.kinds SET noted_until = 'infinity';"
      "SET ROLE rowrunner_app; INSERT INTO doc_jobs (job_id) VALUES ('of an app'); RESET ROLE");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner_mirror.changes"), "1");
}

}  // namespace
}  // namespace rowrunner::testing
