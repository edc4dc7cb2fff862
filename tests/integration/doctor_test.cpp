// What `rowrunner doctor` finds, made for real, and what cures it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.hpp"
#include "support/job_table.hpp"
#include "support/jobs.hpp"
#include "support/jobs_database.hpp"
#include "support/own_server.hpp"
#include "support/paths.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// "check | kind | finding | advice", one line each.
std::string lines_of(const json& report) {
  std::string out;
  for (const auto& each : report["findings"]) {
    const auto kind = each["kind"].is_null() ? "-" : each["kind"].get<std::string>();
    out += each["check"].get<std::string>() + " | " + kind + " | " +
           each["finding"].get<std::string>() + " | " + each["advice"].get<std::string>() + "\n";
  }
  return out;
}

json examine(const std::string& url, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), {rowrunner_binary(), "doctor", "--json"});
  const auto done = run_process(arguments, {{"DATABASE_URL", url}});
  const auto report = json::parse(done.out, nullptr, false);
  if (report.is_discarded()) {
    ADD_FAILURE() << done.err;
    return {{"findings", json::array()}};
  }
  EXPECT_EQ(done.exit_code, report["findings"].empty() ? 0 : 1) << done.err;
  return report;
}

class doctor : public ::testing::Test {
 protected:
  std::string findings(std::vector<std::string> arguments = {}) {
    return lines_of(examine(db_.url(), std::move(arguments)));
  }
  std::string fixed() { return examine(db_.url(), {"--fix"})["fixed"].dump(); }

  // Runs SQL while no trigger of the job table fires, as a restore does.
  void unseen(const std::string& sql) {
    db_.exec("ALTER TABLE test_jobs DISABLE TRIGGER ALL;" + sql +
             "; ALTER TABLE test_jobs ENABLE TRIGGER ALL");
  }

  jobs_database db_;
};

TEST_F(doctor, finds_nothing_in_a_healthy_database) {
  for (const char* name : {"queued", "delayed", "running", "dead"}) db_.add(name);
  db_.exec(
      "UPDATE test_jobs SET run_at = now() + interval '1 hour' WHERE name = 'delayed';"
      "UPDATE test_jobs SET status = 'failed' WHERE name = 'dead'");
  db_.exec("SELECT rowrunner.claim('test', 'w')");
  const command rowrunner(db_);
  EXPECT_EQ(rowrunner.out({"doctor"}), "nothing is wrong\n");
  EXPECT_EQ(rowrunner.out({"doctor", "--fix"}), "nothing is wrong\n");
  EXPECT_EQ(
      rowrunner.parsed({"doctor"}),
      (json{{"findings", json::array()}, {"fixed", json::array()}, {"not_fixed", json::array()}}));
}

TEST_F(doctor, prints_a_table_and_counts_on_stderr) {
  db_.exec("ALTER TABLE test_jobs SET (fillfactor = 90)");
  const auto done = command(db_).run({"doctor"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out,
              AllOf(ContainsRegex("^CHECK +KIND +FINDING +WHAT TO DO\n"),
                    ContainsRegex("\nfillfactor +test +public.test_jobs has a fillfactor of 90")));
  EXPECT_EQ(done.err, "rowrunner: 1 finding\n");
}

TEST_F(doctor, jobs_without_an_entry_are_repaired) {
  unseen(
      "INSERT INTO test_jobs (name, status, lease) VALUES ('a', 'queued', NULL),"
      " ('b', 'queued', NULL), ('dead', 'failed', NULL), ('lost', 'processing', 77)");
  EXPECT_EQ(findings(),
            "entries | test | 4 jobs have no entry and do not run (2 queued, 1 failed, 1"
            " processing) | rowrunner kinds repair test, or rowrunner doctor --fix\n");
  EXPECT_EQ(fixed(), R"(["test: repaired: added 2 queued, 0 delayed, 1 failed, 1 lost;)"
                     R"( removed 0 stale entries"])");
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(lost_jobs(db_, "test_jobs"), "0 0");
}

TEST_F(doctor, many_entries_without_a_job_are_removed) {
  db_.exec("INSERT INTO test_jobs (name) SELECT 'j' || n FROM generate_series(1, 150) n");
  unseen("DELETE FROM test_jobs WHERE name = 'j1'");
  EXPECT_EQ(findings(), "");  // a claim removes it
  unseen("DELETE FROM test_jobs WHERE name <> 'j2'");
  EXPECT_THAT(findings(),
              StartsWith("entries | test | 149 entries have no job, or one that has moved on |"));
  EXPECT_THAT(fixed(), HasSubstr("removed 149 stale entries"));
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.queue"), "1");
}

TEST_F(doctor, a_kind_whose_table_is_gone_is_detached) {
  create_my_jobs(db_);
  db_.exec("ALTER TABLE my_jobs SET (fillfactor = 25)");
  db_.exec(attach_mine);
  EXPECT_EQ(findings(), "");
  db_.exec("INSERT INTO my_jobs DEFAULT VALUES");
  db_.exec("DROP TABLE my_jobs");
  EXPECT_THAT(findings(), StartsWith("dropped tables | mine | its table was dropped |"));
  EXPECT_EQ(fixed(), R"(["mine: detached"])");
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.kinds WHERE kind = 'mine'"), "0");
}

TEST_F(doctor, what_attach_would_refuse_now_is_found) {
  db_.exec("ALTER TABLE test_jobs ENABLE ROW LEVEL SECURITY");
  EXPECT_THAT(findings(), StartsWith("job tables | test | row level security is on"));
  db_.exec("ALTER TABLE test_jobs DISABLE ROW LEVEL SECURITY");
  db_.exec("ALTER TABLE test_jobs DISABLE TRIGGER rowrunner_update");
  db_.exec("DROP TRIGGER rowrunner_delete ON test_jobs");
  const auto found = findings();
  EXPECT_THAT(found,
              AllOf(HasSubstr("trigger rowrunner_update is disabled: jobs may have no entry |"
                              " SELECT rowrunner.attach('public.test_jobs', kind => 'test')"),
                    HasSubstr("trigger rowrunner_delete is missing")));
  db_.exec("SELECT rowrunner.attach('public.test_jobs', kind => 'test')");
  EXPECT_EQ(findings(), "");
}

TEST_F(doctor, a_setting_under_which_no_trigger_fires_is_found) {
  const auto database = db_.value("SELECT quote_ident(current_database())");
  db_.exec("ALTER DATABASE " + database + " SET session_replication_role = replica");
  EXPECT_THAT(
      findings(),
      HasSubstr("triggers | - | session_replication_role is replica for DATABASE " + database +
                ": jobs that are written under it have no entry | ALTER "
                "DATABASE " +
                database + " RESET session_replication_role"));
  db_.exec("ALTER DATABASE " + database + " RESET session_replication_role");
  EXPECT_EQ(findings(), "");
}

TEST_F(doctor, an_index_over_a_column_that_changes_is_left_to_a_person) {
  db_.exec("CREATE INDEX by_status ON test_jobs (name) WHERE status = 'queued'");
  const std::string found =
      "indexes | test | index public.by_status uses status: every change of a job writes into all"
      " indexes of its table | DROP INDEX CONCURRENTLY public.by_status\n";
  EXPECT_EQ(findings(), found);
  EXPECT_EQ(findings({"--fix"}), found);
  db_.exec("DROP INDEX public.by_status");
  EXPECT_EQ(findings(), "");
}

TEST_F(doctor, a_full_page_is_found_before_it_costs) {
  db_.exec("ALTER TABLE test_jobs RESET (fillfactor)");
  EXPECT_THAT(findings(), AllOf(StartsWith("fillfactor | test | public.test_jobs has a fillfactor"
                                           " of 100:"),
                                HasSubstr("ALTER TABLE public.test_jobs SET (fillfactor = 25)")));
  db_.exec("ALTER TABLE test_jobs SET (fillfactor = 25)");
  EXPECT_EQ(findings(), "");
}

TEST_F(doctor, a_session_that_blocks_vacuum_is_named) {
  pqxx::connection other(db_.url());
  pqxx::work forgotten(other);
  forgotten.exec("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
  while (!forgotten.exec("SELECT clock_timestamp() - now() > interval '2 ms'")[0][0].as<bool>()) {
  }
  const auto pid = std::to_string(other.backendpid());
  EXPECT_THAT(findings({"--vacuum-blocker-alarm", "0.001"}),
              AllOf(StartsWith("vacuum blockers | - | session " + pid),
                    HasSubstr("pg_terminate_backend(" + pid + ")")));
  EXPECT_EQ(findings(), "");  // not for five minutes yet
}

TEST_F(doctor, workers_of_another_version_are_counted) {
  db_.exec(
      "INSERT INTO rowrunner.workers (worker, kinds, version, seen_at) VALUES"
      " ('a', '{test}', '0.0.9', now()), ('b', '{test}', '0.0.9', now()),"
      " ('sql', '{test}', 'sql', now()), ('gone', '{test}', '0.0.8', now() - interval '1 hour')");
  EXPECT_THAT(findings(),
              ContainsRegex("^versions \\| - \\| this rowrunner has version [0-9.]+, live workers"
                            " have 0[.]0[.]9 \\(2 of them\\) \\|"));
  db_.exec("DELETE FROM rowrunner.workers WHERE version = '0.0.9'");
  EXPECT_EQ(findings(), "");
}

TEST_F(doctor, a_schema_that_is_newer_is_named_and_its_permissions_are_not_judged) {
  db_.exec(
      "UPDATE rowrunner.schema_info SET version = 999;"
      "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA rowrunner TO PUBLIC");
  EXPECT_THAT(findings(), StartsWith("versions | - | the schema has version 999, this rowrunner was"
                                     " built for"));
}

TEST_F(doctor, dead_rows_that_no_vacuum_removes_are_counted) {
  // Otherwise an autovacuum may come before the doctor does.
  db_.exec("ALTER TABLE rowrunner.delayed SET (autovacuum_enabled = off)");
  EXPECT_EQ(findings(),
            "dead rows | - | autovacuum is off for rowrunner.delayed | ALTER TABLE"
            " rowrunner.delayed RESET (autovacuum_enabled)\n");
  db_.exec(
      "INSERT INTO rowrunner.delayed SELECT 0, now(), 0, gen_random_uuid()"
      " FROM generate_series(1, 10001);"
      "DELETE FROM rowrunner.delayed");
  db_.exec("SELECT pg_stat_force_next_flush()");
  while (db_.value("SELECT n_dead_tup > 10000 FROM pg_stat_all_tables"
                   " WHERE relid = 'rowrunner.delayed'::regclass") != "t") {
  }
  EXPECT_THAT(findings(), HasSubstr("dead rows | - | rowrunner.delayed has 10001 dead rows beside 0"
                                    " live ones, and was last vacuumed never | VACUUM"
                                    " rowrunner.delayed"));
}

TEST_F(doctor, permissions_that_differ_from_those_of_migrate_are_found) {
  db_.exec(
      "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA rowrunner TO PUBLIC;"
      "GRANT UPDATE ON rowrunner.kinds TO rowrunner_worker;"
      "GRANT USAGE ON SCHEMA rowrunner TO rowrunner_job_writer;"
      "REVOKE SELECT ON rowrunner.queue FROM rowrunner_app;"
      "REVOKE UPDATE ON SEQUENCE rowrunner.wakeup_test FROM rowrunner_engine;"
      "ALTER FUNCTION rowrunner.on_update() OWNER TO CURRENT_USER;"
      "REVOKE ALL ON test_jobs FROM rowrunner_job_writer;"
      "REVOKE DELETE ON test_jobs FROM rowrunner_worker");
  const auto found = findings();
  EXPECT_THAT(found, ContainsRegex("permissions \\| - \\| public has too much: EXECUTE on"
                                   " rowrunner.[^|]* and [0-9]+ more \\| run: rowrunner migrate"));
  EXPECT_THAT(found, HasSubstr("| rowrunner_worker has too much: UPDATE on rowrunner.kinds |"));
  EXPECT_THAT(found, HasSubstr("| rowrunner_job_writer has too much: USAGE on schema rowrunner |"));
  EXPECT_THAT(found, HasSubstr("| rowrunner_app lacks SELECT on rowrunner.queue |"));
  EXPECT_THAT(found, HasSubstr("| rowrunner_engine lacks UPDATE on rowrunner.wakeup_test |"));
  EXPECT_THAT(found, HasSubstr(" owns, instead of rowrunner_engine: rowrunner.on_update() |"));
  EXPECT_THAT(found, HasSubstr("permissions | test | rowrunner_job_writer lacks SELECT, UPDATE on"
                               " public.test_jobs |"));
  EXPECT_THAT(found, HasSubstr("| rowrunner_worker lacks DELETE on public.test_jobs |"));
  command(db_).out({"migrate"});
  EXPECT_EQ(findings(), "");
}

TEST_F(doctor, a_check_that_is_denied_says_so_and_the_others_go_on) {
  const std::string role = "shop_" + db_.name();
  const auto from = db_.url().find(':', db_.url().find("://") + 3) + 1;
  const auto password = db_.url().substr(from, db_.url().find('@') - from);
  db_.exec("CREATE ROLE " + role + " LOGIN PASSWORD '" + password + "'");
  db_.exec("GRANT rowrunner_app TO " + role);
  db_.exec("ALTER TABLE test_jobs RESET (fillfactor)");
  db_.exec("INSERT INTO test_jobs (name) VALUES ('a')");
  const auto report = examine(db_.url_of(role), {"--fix"});
  db_.exec("DROP ROLE " + role);
  EXPECT_THAT(
      lines_of(report),
      AllOf(HasSubstr("entries | test | could not be checked: permission denied for function"
                      " jobs_without_entry | run doctor as the role that ran 'rowrunner"
                      " migrate'"),
            HasSubstr("fillfactor | test |"), Not(HasSubstr("permissions |"))));
  EXPECT_THAT(report["not_fixed"].dump(), HasSubstr("test: permission denied for function repair"));
}

TEST_F(doctor, a_table_that_is_locked_does_not_keep_other_kinds_from_being_checked) {
  create_my_jobs(db_);
  db_.exec("ALTER TABLE my_jobs SET (fillfactor = 25)");
  db_.exec(attach_mine);
  unseen("INSERT INTO test_jobs (name) VALUES ('a')");
  pqxx::connection other(db_.url());
  pqxx::work owner(other);
  owner.exec("LOCK TABLE my_jobs IN ACCESS EXCLUSIVE MODE");
  EXPECT_THAT(findings(), AllOf(HasSubstr("entries | mine | could not be checked: canceling"
                                          " statement due to lock timeout | run doctor again"),
                                HasSubstr("entries | test | 1 jobs have no entry")));
}

TEST(doctor_command, wants_a_schema) {
  const test_database db(test_database::contents::empty);
  EXPECT_THAT(command(db).error(1, {"doctor"}), HasSubstr("run 'rowrunner migrate'"));
}

// Roles belong to the whole server.
TEST(doctor_command, roles_that_are_missing_or_can_do_too_much_are_found) {
  const own_server server;
  ASSERT_EQ(
      run_process({rowrunner_binary(), "migrate"}, {{"DATABASE_URL", server.url()}}).exit_code, 0);
  EXPECT_EQ(lines_of(examine(server.url())), "");
  pqxx::connection admin(server.url());
  pqxx::nontransaction tx(admin);
  tx.exec("ALTER ROLE rowrunner_engine LOGIN");
  // As a workload may have one.
  tx.exec("CREATE FUNCTION public.own() RETURNS void LANGUAGE sql SECURITY DEFINER AS ''");
  tx.exec("CREATE ROLE rowrunner_workload CREATEDB");
  tx.exec("GRANT CREATE ON SCHEMA public TO rowrunner_workload");
  tx.exec("ALTER FUNCTION public.own() OWNER TO rowrunner_workload");
  tx.exec("DROP OWNED BY rowrunner_app");
  tx.exec("DROP ROLE rowrunner_app");
  tx.exec("CREATE ROLE keeper");
  tx.exec("ALTER SCHEMA rowrunner OWNER TO keeper");
  EXPECT_THAT(
      lines_of(examine(server.url())),
      AllOf(
          HasSubstr("roles | - | role rowrunner_app is missing | run: rowrunner migrate"),
          HasSubstr("roles | - | role rowrunner_engine can log in, has attributes or is a member"
                    " of another role | ALTER ROLE rowrunner_engine NOLOGIN"),
          HasSubstr("| role rowrunner_workload can log in, has attributes or is a member of another"
                    " role | ALTER ROLE rowrunner_workload NOLOGIN"),
          HasSubstr("roles | - | keeper owns the schema rowrunner and is not a member of"
                    " rowrunner_engine: it cannot migrate | GRANT rowrunner_engine TO keeper")));
}

}  // namespace
}  // namespace rowrunner::testing
