// `rowrunner jobs` shows what is the user's own, and retries whatever has failed.

#include "support/command.hpp"
#include "support/jobs.hpp"
#include "support/jobs_database.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
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

TEST_F(jobs_command, what_reads_jobs_names_the_lock_of_a_table_and_does_not_wait_for_it) {
  db_.add("a");
  pqxx::connection other(db_.url() + (db_.url().find('?') == std::string::npos ? "?" : "&") +
                         "application_name=rewriter");
  pqxx::work tx(other);
  tx.exec("LOCK TABLE test_jobs IN ACCESS EXCLUSIVE MODE");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"jobs", "list"},
                                                {"jobs", "list", "--status", "succeeded"},
                                                {"stats"},
                                                {"stats", "--json"}}) {
    const auto text = rowrunner_.error(1, words);
    EXPECT_THAT(text, HasSubstr("table public.test_jobs is locked by")) << words[0];
    EXPECT_THAT(text, HasSubstr("rewriter")) << words[0];
  }
  tx.commit();
}

}  // namespace
}  // namespace rowrunner::testing
