// `rowrunner jobs` shows what is the user's own, and retries whatever has failed.

#include "support/command.hpp"
#include "support/jobs.hpp"
#include "support/jobs_database.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class jobs_command : public ::testing::Test {
 protected:
  jobs_database db_;
  command rowrunner_{db_};
};

TEST_F(jobs_command, lists_the_users_own_columns) {
  insert_job(db_, "金閣寺");
  db_.add("a job", "steps");
  const auto all = rowrunner_.out({"jobs", "list"});
  EXPECT_THAT(all, HasSubstr("batch_id=batch recipient=金閣寺"));
  EXPECT_THAT(all, HasSubstr("name=a job action=steps ms=0 times=0"));
  const auto chosen =
      rowrunner_.out({"jobs", "list", "--kind", "test", "--columns", "action,name"});
  EXPECT_THAT(chosen, ContainsRegex("ACTION +NAME +ERROR"));
  EXPECT_THAT(chosen, ContainsRegex("steps +a job"));
  EXPECT_THAT(chosen, Not(HasSubstr("times")));
  EXPECT_THAT(rowrunner_.error(2, {"jobs", "list", "--columns", "nome"}),
              HasSubstr("no listed job has a column 'nome'"));
  EXPECT_EQ(rowrunner_.parsed({"jobs", "list", "--kind", "test"})["jobs"][0]["job"]["times"], 0);
}

TEST_F(jobs_command, retries_what_failed_of_all_kinds) {
  insert_job(db_, "a", "status", "'failed'");
  db_.exec("INSERT INTO test_jobs (name, status) VALUES ('b', 'failed'), ('c', 'failed')");
  EXPECT_EQ(rowrunner_.parsed({"jobs", "retry", "--failed", "--limit", "2"})["requeued"], 2);
  EXPECT_EQ(rowrunner_.out({"jobs", "retry", "--failed"}), "test: 1\n1 job is queued again\n");
  EXPECT_EQ(rowrunner_.out({"jobs", "retry", "--failed"}), "0 jobs are queued again\n");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.failures"), "0");
}

TEST_F(jobs_command, a_job_that_succeeded_has_no_error_in_the_list) {
  db_.exec(
      "INSERT INTO test_jobs (name, status, last_error) VALUES ('a', 'succeeded', 'too early'),"
      " ('b', 'queued', 'too late')");
  const auto listed = rowrunner_.out({"jobs", "list"});
  EXPECT_THAT(listed, Not(HasSubstr("too early")));
  EXPECT_THAT(listed, HasSubstr("too late"));
  // The row is shown as it is.
  EXPECT_EQ(
      rowrunner_.parsed({"jobs", "list", "--status", "succeeded"})["jobs"][0]["job"]["last_error"],
      "too early");
}

TEST_F(jobs_command, cancel_tells_the_status_that_the_table_has) {
  const auto letter = insert_job(db_, "a");  // its table has no word for a cancelled job
  EXPECT_EQ(rowrunner_.out({"jobs", "cancel", letter}), letter + "  failed (cancelled)\n");
  EXPECT_EQ(db_.value("SELECT status FROM letter_jobs"), "failed");
  const auto job = rowrunner_.parsed({"jobs", "cancel", insert_job(db_, "b")})["jobs"][0];
  EXPECT_EQ(job["result"], "cancelled");
  EXPECT_EQ(job["status"], "failed");
  const auto test = rowrunner_.parsed({"jobs", "cancel", db_.add("c")})["jobs"][0];
  EXPECT_EQ(test["status"], "cancelled");
}

TEST_F(jobs_command, what_changes_a_job_names_the_session_that_locks_it) {
  const auto waiting = db_.add("a");
  db_.exec("INSERT INTO test_jobs (name, status) VALUES ('b', 'failed')");
  const auto failed = db_.value("SELECT id FROM test_jobs WHERE name = 'b'");
  pqxx::connection other(db_.url());
  pqxx::nontransaction(other).exec("SET application_name = 'report'");
  pqxx::work tx(other);
  const auto pid = tx.exec("SELECT pg_backend_pid()")[0][0].as<std::string>();
  tx.exec("SELECT FROM test_jobs FOR UPDATE");
  const auto locked = [&](const std::string& id) {
    return "rowrunner: job " + id + " is locked by session " + pid +
           " \\(report, since 2.*Z\\): nothing was done; try again when its transaction has "
           "ended\n";
  };
  EXPECT_THAT(rowrunner_.error(1, {"jobs", "cancel", waiting}), MatchesRegex(locked(waiting)));
  EXPECT_THAT(rowrunner_.error(1, {"jobs", "retry", failed}), MatchesRegex(locked(failed)));
  EXPECT_THAT(rowrunner_.error(1, {"jobs", "retry", "--failed"}),
              HasSubstr("a failed job of kind test is locked by another session"));
  tx.commit();
  EXPECT_EQ(db_.value("SELECT string_agg(status, ' ' ORDER BY name) FROM test_jobs"),
            "queued failed");
  EXPECT_EQ(rowrunner_.out({"jobs", "cancel", waiting}), waiting + "  cancelled\n");
}

TEST_F(jobs_command, what_changes_a_job_names_the_lock_of_its_table) {
  const auto id = db_.add("a");
  pqxx::connection other(db_.url());
  pqxx::work tx(other);
  for (const std::string mode : {"EXCLUSIVE", "ACCESS EXCLUSIVE"}) {
    tx.exec("LOCK TABLE test_jobs IN " + mode + " MODE");
    EXPECT_THAT(rowrunner_.error(1, {"jobs", "cancel", id}),
                ContainsRegex("table public.test_jobs .*is locked by session"));
  }
}

TEST_F(jobs_command, what_reads_jobs_names_the_lock_of_a_table_and_does_not_wait_for_it) {
  db_.add("a");
  pqxx::connection other(db_.url() + (db_.url().find('?') == std::string::npos ? "?" : "&") +
                         "application_name=rewriter");
  pqxx::work tx(other);
  tx.exec("LOCK TABLE test_jobs IN ACCESS EXCLUSIVE MODE");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"jobs", "list"}, {"jobs", "list", "--status", "succeeded"}}) {
    const auto text = rowrunner_.error(1, words);
    EXPECT_THAT(text, HasSubstr("table public.test_jobs is locked by")) << words[0];
    EXPECT_THAT(text, HasSubstr("rewriter")) << words[0];
  }
  tx.commit();
}

}  // namespace
}  // namespace rowrunner::testing
