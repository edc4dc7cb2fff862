// Failed jobs that a trigger of their table refuses to queue again: each call tries a bounded
// number of them, and they hide no job that can run again.

#include <rowrunner/enqueue.hpp>

#include "support/command.hpp"
#include "support/jobs.hpp"
#include "support/notices.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

class refused_retries : public ::testing::Test {
 protected:
  /// What one call tries at most of those that are refused.
  static constexpr int bound = 1'000;

  refused_retries() {
    // A sequence counts the tries, as it also keeps what is rolled back.
    db_.exec(
        "CREATE SEQUENCE tries; GRANT USAGE ON SEQUENCE tries TO PUBLIC;"
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN PERFORM nextval('public.tries'); RETURN NULL; END $$;"
        "CREATE TRIGGER refuse BEFORE UPDATE ON letter_jobs FOR EACH ROW"
        " WHEN (NEW.status = 'queued' AND OLD.batch_id = 'refused') EXECUTE FUNCTION refuse()");
  }

  /// They failed after those that were added before.
  void add_failed(const std::string& batch, int count) {
    db_.exec("INSERT INTO letter_jobs (batch_id, recipient, status) SELECT '" + batch +
             "', n, 'failed' FROM generate_series(1, " + std::to_string(count) +
             ") n; UPDATE rowrunner.failures SET failed_at = failed_at - interval '1 hour'");
  }
  std::int64_t tries() {
    return std::stoll(
        db_.value("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM tries"));
  }
  std::string requeue_failed_in_sql() {
    return db_.value("SELECT rowrunner.requeue_failed('letter', 100)");
  }

  test_database db_;
  command rowrunner_{db_};
};

TEST_F(refused_retries, are_bounded_in_each_call_and_hide_no_younger_job) {
  add_failed("refused", 5 * bound / 2);
  add_failed("fine", 3);
  notices heard(db_.connection());
  EXPECT_EQ(requeue_failed_in_sql(), "0");
  EXPECT_THAT(heard.all(), HasSubstr("1000 failed jobs of letter were refused by a trigger"));
  EXPECT_EQ(tries(), bound);
  EXPECT_EQ(requeue_failed_in_sql(), "0");
  EXPECT_EQ(requeue_failed_in_sql(), "3");
  EXPECT_LE(tries(), 3 * bound);
}

// A job that was refused may be accepted by now.
TEST_F(refused_retries, come_last_and_in_turn) {
  add_failed("refused", bound + 2);
  db_.exec("UPDATE rowrunner.failures SET refused_at = now() - interval '1 hour'");
  add_failed("fine", 2);
  EXPECT_EQ(db_.value("SELECT rowrunner.requeue_failed('letter', 2)"), "2");
  EXPECT_EQ(tries(), 0) << "there were others";
  EXPECT_EQ(requeue_failed_in_sql(), "0");
  EXPECT_EQ(tries(), bound);
  db_.exec("ALTER TABLE letter_jobs DISABLE TRIGGER refuse");
  EXPECT_EQ(db_.value("SELECT rowrunner.requeue_failed('letter', 2)"), "2");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.failures"
                      " WHERE refused_at < now() - interval '59 minutes'"),
            "0")
      << "those that were refused the longest time ago are the first";
}

TEST_F(refused_retries, are_walked_over_once_by_the_library_and_the_command) {
  add_failed("refused", 2 * bound + 1);
  add_failed("fine", 2);
  {
    pqxx::work tx(db_.connection());
    tx.exec("SET LOCAL ROLE rowrunner_app");
    EXPECT_EQ(requeue_failed(tx, "letter", 1), 1);
    EXPECT_EQ(requeue_failed(tx, "letter", 0), 0);
  }
  const auto before = tries();
  EXPECT_EQ(rowrunner_.out({"jobs", "retry", "--failed"}), "2 jobs are queued again\n");
  EXPECT_EQ(tries() - before, 2 * bound + 1);
}

TEST_F(refused_retries, leave_what_was_queued_again_before_a_locked_job) {
  add_failed("fine", 2);
  db_.exec("UPDATE letter_jobs SET recipient = 'locked' WHERE recipient = '2'");
  add_failed("refused", bound);
  db_.exec(
      "UPDATE rowrunner.failures f SET failed_at = now() - interval '1 day' FROM letter_jobs j"
      " WHERE j.id = f.job_id AND j.recipient = '1' AND j.batch_id = 'fine';"
      "UPDATE rowrunner.failures f SET failed_at = now() FROM letter_jobs j"
      " WHERE j.id = f.job_id AND j.recipient = 'locked'");
  pqxx::connection other(db_.url());
  pqxx::work lock(other);
  lock.exec("SELECT FROM letter_jobs WHERE recipient = 'locked' FOR UPDATE");
  EXPECT_THAT(rowrunner_.error(1, {"jobs", "retry", "--failed"}),
              HasSubstr("a failed job of kind letter is locked by another session: only 1 of the "
                        "kind was queued again"));
  EXPECT_EQ(db_.value("SELECT count(*) FROM letter_jobs WHERE status = 'queued'"), "1");
}

}  // namespace
}  // namespace rowrunner::testing
