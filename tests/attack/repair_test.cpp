// rowrunner.repair makes the entries match the jobs again, while the engine works on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/jobs.hpp"
#include "support/notices.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class repair : public ::testing::Test {
 protected:
  std::string repaired() {
    return db_.value(
        "SELECT concat_ws(' ', queued, delayed, failed, lost, removed)"
        " FROM rowrunner.repair('test')");
  }
  // Runs SQL while no trigger of the job table fires, as a restore does.
  void unseen(const std::string& sql) {
    db_.exec("ALTER TABLE test_jobs DISABLE TRIGGER ALL;" + sql +
             "; ALTER TABLE test_jobs ENABLE TRIGGER ALL");
  }

  jobs_database db_;
};

TEST_F(repair, gives_the_jobs_of_a_restored_dump_their_entries) {
  for (const char* name : {"a", "b", "c"}) db_.add(name);
  db_.exec("UPDATE test_jobs SET run_at = now() + interval '1 hour' WHERE name = 'c'");
  const auto file = std::filesystem::temp_directory_path() / (db_.name() + ".dump");
  auto dumped = run_process(
      {"pg_dump", "--format=custom", "--table=test_jobs", "--file=" + file.string(), db_.url()});
  ASSERT_EQ(dumped.exit_code, 0) << dumped.err;
  db_.exec("TRUNCATE test_jobs");
  const auto restored = run_process(
      {"pg_restore", "--data-only", "--disable-triggers", "--dbname=" + db_.url(), file.string()});
  std::filesystem::remove(file);
  ASSERT_EQ(restored.exit_code, 0) << restored.err;
  ASSERT_EQ(lost_jobs(db_, "test_jobs"), "3 0");

  const auto told =
      run_process({rowrunner_binary(), "kinds", "repair", "test"}, {{"DATABASE_URL", db_.url()}});
  EXPECT_EQ(told.out,
            "test: added 2 queued, 1 delayed, 0 failed, 0 lost; removed 0 stale entries\n")
      << told.err;
  EXPECT_EQ(lost_jobs(db_, "test_jobs"), "0 0");
  EXPECT_EQ(repaired(), "0 0 0 0 0");
}

TEST_F(repair, knows_every_status) {
  unseen(
      "INSERT INTO test_jobs (name, status, lease, last_error, max_attempts) VALUES"
      " ('dead', 'failed', NULL, 'boom', 3), ('lost', 'processing', 77, NULL, 1),"
      " ('done', 'succeeded', 78, NULL, 3)");
  EXPECT_EQ(repaired(), "0 0 1 1 0");
  EXPECT_EQ(db_.value("SELECT error FROM rowrunner.failures"), "boom");
  EXPECT_EQ(lost_jobs(db_, "test_jobs"), "0 0");
  db_.exec("SELECT FROM rowrunner.kinds k, rowrunner.rescue(k.id) WHERE k.kind = 'test'");
  EXPECT_EQ(db_.status("lost"), "failed");
}

TEST_F(repair, removes_stale_and_second_entries) {
  for (const char* name : {"a", "b", "gone"}) db_.add(name);
  db_.exec(
      "INSERT INTO rowrunner.queue SELECT kind, priority, nextval('rowrunner.queue_back'), job_id"
      " FROM rowrunner.queue");
  db_.exec(
      "INSERT INTO rowrunner.delayed SELECT q.kind, j.run_at, j.priority, j.id"
      " FROM rowrunner.queue q JOIN test_jobs j ON j.id = q.job_id WHERE j.name = 'a'");
  unseen(
      "DELETE FROM test_jobs WHERE name = 'gone'; UPDATE test_jobs SET priority = 5 WHERE name = "
      "'b'");
  // b has an entry of its new priority and lost two; gone lost two; a lost three of four.
  EXPECT_EQ(repaired(), "1 0 0 0 7");
  EXPECT_EQ(db_.value("SELECT string_agg(j.name, ' ' ORDER BY q.priority) FROM rowrunner.queue q"
                      " JOIN test_jobs j ON j.id = q.job_id AND j.priority = q.priority"),
            "a b");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.delayed"), "0");
}

TEST_F(repair, leaves_jobs_that_are_held_without_an_entry) {
  const auto id = db_.add("held");
  db_.exec("UPDATE test_jobs SET run_at = 'infinity'");
  EXPECT_EQ(repaired(), "0 0 0 0 1");  // the entry of its first run_at
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.queue"), "0");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.delayed"), "0");
  db_.exec("UPDATE test_jobs SET run_at = now()");
  EXPECT_EQ(lost_jobs(db_, "test_jobs"), "0 0");
}

TEST_F(repair, lets_no_job_run_twice_while_workers_run) {
  for (int i = 0; i < 300; ++i) db_.add("job " + std::to_string(i));
  unseen("INSERT INTO test_jobs (name) SELECT 'restored ' || n FROM generate_series(1, 300) n");
  worker_thread one(db_);
  worker_thread two(db_);
  std::string left;
  do {
    repaired();
    left = db_.value("SELECT count(*) FROM test_jobs WHERE status <> 'succeeded'");
  } while (left != "0" && !HasFailure());
  one.stop();
  two.stop();
  EXPECT_EQ(db_.value("SELECT count(*) FROM effects"), "600");
  EXPECT_EQ(db_.value("SELECT max(attempts) FROM test_jobs"), "0");
  EXPECT_THAT(db_.violations(), IsEmpty());
}

TEST_F(repair, is_for_operators_and_a_sweep_for_workers_too) {
  db_.add("a");
  db_.exec("DELETE FROM test_jobs");
  pqxx::connection other(db_.url());
  pqxx::work tx(other);
  tx.exec("SET LOCAL ROLE rowrunner_worker");
  EXPECT_EQ(tx.exec("SELECT removed FROM rowrunner.sweep()")[0][0].as<int>(), 1);
  EXPECT_THROW(tx.exec("SELECT rowrunner.repair('test')"), pqxx::insufficient_privilege);
}

// The planner runs immutable functions of an index, so not even a SELECT is harmless to a
// superuser.
TEST_F(repair, runs_no_code_of_the_tables_owner_with_the_callers_rights) {
  db_.exec("CREATE TABLE ran (who text)");
  db_.exec("GRANT INSERT ON ran TO PUBLIC");
  db_.exec(
      "CREATE FUNCTION note() RETURNS void LANGUAGE plpgsql AS $$"
      " BEGIN INSERT INTO public.ran VALUES (current_user); END $$");
  // What is called immutable may call what is not.
  db_.exec(
      "CREATE FUNCTION evil(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$"
      " BEGIN PERFORM public.note(); RETURN true; END $$");
  db_.add("a");
  db_.exec("CREATE INDEX evil ON test_jobs (name) WHERE evil('x')");
  db_.exec("TRUNCATE ran");
  repaired();
  db_.exec("SELECT rowrunner.sweep()");
  EXPECT_EQ(db_.value("SELECT string_agg(DISTINCT who, ' ') FROM ran"), "rowrunner_job_writer");
}

TEST_F(repair, waits_for_no_session_that_holds_a_job) {
  db_.add("a");
  unseen("INSERT INTO test_jobs (name) VALUES ('b')");
  pqxx::connection other(db_.url());
  pqxx::work tx(other);
  tx.exec("SELECT FROM test_jobs FOR UPDATE");
  EXPECT_EQ(repaired(), "1 0 0 0 0");
}

TEST_F(repair, warns_while_triggers_are_disabled) {
  const auto told = [&] {
    return run_process({rowrunner_binary(), "kinds", "repair", "test"},
                       {{"DATABASE_URL", db_.url()}})
        .out;
  };
  db_.exec("ALTER TABLE test_jobs DISABLE TRIGGER rowrunner_insert");
  db_.add("a");
  notices heard(db_.connection());
  EXPECT_EQ(repaired(), "1 0 0 0 0");
  EXPECT_THAT(heard.all(),
              HasSubstr("WARNING:  trigger rowrunner_insert is disabled: jobs that are "
                        "written meanwhile have no entry. Run SELECT "
                        "rowrunner.attach('public.test_jobs', kind => 'test'), then "
                        "repair again"));
  EXPECT_THAT(told(), HasSubstr("not repaired: trigger rowrunner_insert is disabled"));
  db_.exec("SELECT rowrunner.attach('public.test_jobs', kind => 'test')");
  EXPECT_THAT(told(), Not(HasSubstr("not repaired")));
}

TEST_F(repair, warns_where_sessions_fire_no_trigger) {
  const auto problems = [&] {
    return db_.value("SELECT array_to_string(problems, ' | ') FROM rowrunner.repair('test')");
  };
  db_.exec("SET session_replication_role = replica");
  EXPECT_THAT(problems(), HasSubstr("is replica in this session: jobs"));
  db_.exec("SET session_replication_role = origin");
  EXPECT_EQ(problems(), "");
  const auto database = db_.value("SELECT quote_ident(current_database())");
  db_.exec("ALTER DATABASE " + database + " SET session_replication_role = replica");
  EXPECT_THAT(problems(), HasSubstr("Run ALTER DATABASE " + database +
                                    " RESET session_replication_role, then repair again"));
  db_.exec("ALTER DATABASE " + database + " RESET session_replication_role");
  db_.exec("ALTER ROLE rowrunner_app IN DATABASE " + database +
           " SET session_replication_role = replica");
  EXPECT_THAT(problems(), HasSubstr("is replica for ROLE rowrunner_app IN DATABASE " + database));
}

TEST_F(repair, says_what_it_cannot_repair) {
  db_.exec("CREATE TABLE child (PRIMARY KEY (id)) INHERITS (test_jobs)");
  unseen("INSERT INTO test_jobs (name, status) VALUES ('a', 'processing')");
  const auto told = run_process({rowrunner_binary(), "kinds", "repair", "test", "--json"},
                                {{"DATABASE_URL", db_.url()}});
  EXPECT_EQ(told.exit_code, 0);
  const auto report = nlohmann::json::parse(told.out);
  EXPECT_EQ(report["queued"], 0);
  EXPECT_THAT(report["problems"][0], HasSubstr("public.child inherits from it"));
  EXPECT_THAT(report["problems"][1], HasSubstr("1 rows are processing without a lease"));
  const auto unknown = run_process({rowrunner_binary(), "kinds", "repair", "nothing"},
                                   {{"DATABASE_URL", db_.url()}});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("unknown kind 'nothing'"));
}

}  // namespace
}  // namespace rowrunner::testing
