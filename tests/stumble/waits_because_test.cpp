// "Why does it not run?": jobs show answers with the true cause.

#include "support/command.hpp"
#include "support/jobs.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class waits_because : public ::testing::Test {
 protected:
  void a_worker_is_alive() {
    db_.exec(
        "INSERT INTO rowrunner.workers (worker, kinds, version)"
        " VALUES ('w', '{letter}', '0') ON CONFLICT DO NOTHING");
  }
  std::string reason(const std::string& id) {
    const auto found = rowrunner_.parsed({"jobs", "show", id})["waits_because"];
    return found.is_null() ? "" : found.get<std::string>();
  }

  test_database db_;
  command rowrunner_{db_};
};

TEST_F(waits_because, no_worker_serves_the_kind) {
  const auto id = insert_job(db_, "a");
  EXPECT_THAT(reason(id), HasSubstr("no worker has reported for kind letter"));
  EXPECT_THAT(rowrunner_.out({"jobs", "show", id}), HasSubstr("\nwaits because  no worker"));
  a_worker_is_alive();
  EXPECT_EQ(reason(id), "it is about number 1 in the queue");
  db_.exec("UPDATE rowrunner.workers SET seen_at = now() - interval '31 seconds'");
  EXPECT_THAT(reason(id), HasSubstr("no worker has reported"));
}

TEST_F(waits_because, the_kind_is_paused) {
  a_worker_is_alive();
  const auto id = insert_job(db_, "a");
  rowrunner_.out({"kinds", "pause", "letter"});
  EXPECT_EQ(reason(id), "kind letter is paused: run rowrunner kinds resume letter");
}

TEST_F(waits_because, it_is_delayed) {
  a_worker_is_alive();
  const auto later = insert_job(db_, "a", "run_at", "'2100-01-01T00:00:00Z'");
  EXPECT_EQ(reason(later), "it is delayed until 2100-01-01T00:00:00Z (run_at)");
  const auto never = insert_job(db_, "b", "run_at", "'infinity'");
  EXPECT_EQ(reason(never), "its run_at is infinity: it waits until that is changed");
}

TEST_F(waits_because, others_are_before_it) {
  a_worker_is_alive();
  insert_job(db_, "a");
  insert_job(db_, "b", "priority", "-1");
  insert_job(db_, "behind", "priority", "1");
  EXPECT_EQ(reason(insert_job(db_, "c")), "it is about number 3 in the queue");
}

TEST_F(waits_because, its_row_is_locked) {
  a_worker_is_alive();
  const auto id = insert_job(db_, "a");
  pqxx::connection other(db_.url());
  pqxx::nontransaction(other).exec("SET application_name = 'report'");
  pqxx::work holding(other);
  const auto pid = holding.exec("SELECT pg_backend_pid()")[0][0].as<std::string>();
  holding.exec("SELECT FROM letter_jobs FOR UPDATE");
  EXPECT_THAT(reason(id),
              MatchesRegex("its row is locked by session " + pid + " \\(report, since 2.*Z\\)"));
  holding.abort();
  EXPECT_EQ(reason(id), "it is about number 1 in the queue");
  // What a foreign key that points to the job takes is in no claim's way.
  pqxx::work referring(other);
  referring.exec("SELECT FROM letter_jobs FOR KEY SHARE");
  EXPECT_EQ(reason(id), "it is about number 1 in the queue");
}

TEST_F(waits_because, several_sessions_lock_its_row) {
  a_worker_is_alive();
  const auto id = insert_job(db_, "a");
  pqxx::connection one(db_.url()), two(db_.url());
  pqxx::work first(one), second(two);
  first.exec("SELECT FROM letter_jobs FOR SHARE");
  second.exec("SELECT FROM letter_jobs FOR SHARE");
  EXPECT_EQ(reason(id), "its row is locked by another session");
}

TEST_F(waits_because, its_table_is_locked) {
  a_worker_is_alive();
  const auto id = insert_job(db_, "a");
  pqxx::connection other(db_.url());
  pqxx::work holding(other);
  holding.exec("LOCK TABLE letter_jobs IN EXCLUSIVE MODE");
  EXPECT_THAT(reason(id), HasSubstr("its table is locked by session "));
  holding.exec("LOCK TABLE letter_jobs IN ACCESS EXCLUSIVE MODE");
  EXPECT_THAT(rowrunner_.error(1, {"jobs", "show", id}), HasSubstr("is locked by session "));
}

TEST_F(waits_because, it_has_no_queue_entry) {
  a_worker_is_alive();
  const auto id = insert_job(db_, "a");
  db_.exec("DELETE FROM rowrunner.queue");
  EXPECT_EQ(reason(id), "it has no queue entry: run rowrunner kinds repair letter");
  db_.exec("ALTER TABLE letter_jobs DISABLE TRIGGER rowrunner_insert");
  EXPECT_THAT(reason(id), HasSubstr("triggers of its table are missing or disabled"));
}

TEST_F(waits_because, no_claim_can_take_its_row) {
  a_worker_is_alive();
  const auto id = insert_job(db_, "a");
  db_.exec(
      "WITH gone AS (DELETE FROM rowrunner.queue RETURNING *)"
      " INSERT INTO rowrunner.delayed (kind, run_at, priority, job_id)"
      " SELECT kind, rowrunner.pass_over(kind, job_id, 'violates a check'), priority, job_id FROM "
      "gone");
  EXPECT_THAT(reason(id),
              MatchesRegex("it could not be claimed: violates a check \\(next try at 2.*Z\\)"));
}

TEST_F(waits_because, its_worker_was_lost) {
  const auto id = insert_job(db_, "a");
  EXPECT_EQ(claim_names(db_, 1, "1 hour"), "a");
  EXPECT_EQ(reason(id), "");
  db_.exec("UPDATE rowrunner.leases SET expires_at = now() - interval '1 second'");
  EXPECT_THAT(reason(id), HasSubstr("worker tester was lost: "));
}

TEST_F(waits_because, is_not_said_of_jobs_that_do_not_wait) {
  const auto id = insert_job(db_, "a", "status", "'succeeded'");
  EXPECT_EQ(reason(id), "");
  EXPECT_THAT(rowrunner_.out({"jobs", "show", id}), Not(HasSubstr("waits because")));
}

TEST_F(waits_because, the_state_of_a_kind_is_true) {
  const auto states = [&] {
    return rowrunner_.parsed({"kinds", "list"})["kinds"][0]["state"].get<std::string>() + "," +
           rowrunner_.parsed({"stats"})["kinds"][0]["state"].get<std::string>();
  };
  EXPECT_EQ(states(), "no worker,no worker");
  EXPECT_THAT(rowrunner_.out({"kinds", "list"}), HasSubstr("no worker"));
  EXPECT_THAT(rowrunner_.out({"stats"}), HasSubstr("no worker"));
  a_worker_is_alive();
  EXPECT_EQ(states(), "running,running");
  rowrunner_.out({"kinds", "pause", "letter"});
  EXPECT_EQ(states(), "paused,paused");
}

}  // namespace
}  // namespace rowrunner::testing
