// How far the claims of all workers have come: a claim starts behind that, and only one from the
// front sees what fell back.

#include <gtest/gtest.h>

#include "common/pg/exec.hpp"
#include "common/schema/kind_info.hpp"
#include "queries/engine.hpp"
#include "support/jobs.hpp"
#include "worker/queue_cursor.hpp"

namespace rowrunner::testing {
namespace {

class claim_mark : public ::testing::Test {
 protected:
  /// The statement of the worker; names of the jobs that it took, as "a b".
  std::string claim(queue_position behind, int at_most) {
    kind_info kind;
    kind.table = "public.letter_jobs";
    pqxx::work tx(db_.connection());
    std::string names;
    for (const auto& row : pg::exec(tx, kind.bind(queries::claim, ", j.recipient"), 1,
                                    behind.priority, behind.seq, at_most, ++lease_, "w", 10'000)) {
      if (row["id"].is_null()) continue;
      names += (names.empty() ? "" : " ") + row["recipient"].as<std::string>();
    }
    tx.commit();
    return names;
  }

  /// Gives a job the place of another one that was taken, which stood before it.
  void put_in_front(const std::string& name, int seq) {
    db_.exec("UPDATE rowrunner.queue q SET seq = " + std::to_string(seq) +
             " FROM letter_jobs j WHERE j.id = q.job_id AND j.recipient = '" + name + "'");
  }

  const queue_position front_;
  test_database db_;
  std::int64_t lease_ = 0;
};

TEST_F(claim_mark, a_claim_starts_behind_what_another_worker_has_reached) {
  for (const char* name : {"a", "b", "c", "d"}) insert_job(db_, name);
  EXPECT_EQ(claim(front_, 2), "a b");
  put_in_front("c", 2);
  EXPECT_EQ(claim({0, 1}, 10), "d");
  EXPECT_EQ(claim(front_, 10), "c");
}

TEST_F(claim_mark, a_claim_among_released_jobs_passes_over_nothing) {
  for (const char* name : {"a", "b", "c", "d"}) insert_job(db_, name);
  EXPECT_EQ(claim(front_, 3), "a b c");
  db_.exec("UPDATE letter_jobs SET status = 'queued' WHERE status = 'processing'");
  // Three stand at the front, with numbers below zero; the first of them was taken just now.
  EXPECT_NE(claim(front_, 1), "d");
  EXPECT_NE(claim({0, -3}, 1), "d");
}

TEST_F(claim_mark, it_holds_for_its_own_priority_only) {
  for (const char* name : {"a", "b"}) insert_job(db_, name);
  EXPECT_EQ(claim(front_, 10), "a b");
  for (const char* name : {"x", "y", "z"}) insert_job(db_, name, "priority", "-3");
  put_in_front("y", 2);
  // The mark stands at b, which has a larger number, but is of another priority.
  EXPECT_EQ(claim({-3, 1}, 1), "y");
  EXPECT_EQ(claim({-3, 1}, 1), "x");
  // Now it stands at x, the more urgent one.
  put_in_front("z", 2);
  EXPECT_EQ(claim({-3, 1}, 1), "");
}

TEST_F(claim_mark, what_was_released_to_the_front_does_not_move_it) {
  insert_job(db_, "a");
  EXPECT_EQ(claim(front_, 1), "a");
  const auto mark = db_.value("SELECT last_value FROM rowrunner.reached_letter");
  db_.exec("UPDATE letter_jobs SET status = 'queued'");
  EXPECT_EQ(db_.value("SELECT seq < 0 FROM rowrunner.queue"), "t");
  EXPECT_EQ(claim(front_, 1), "a");
  EXPECT_EQ(db_.value("SELECT last_value FROM rowrunner.reached_letter"), mark);
}

TEST_F(claim_mark, does_not_move_if_the_claim_fails) {
  for (const char* name : {"a", "b"}) insert_job(db_, name);
  pqxx::connection other(db_.url());
  pqxx::work holds(other);
  holds.exec("SELECT FROM letter_jobs WHERE recipient = 'b' FOR UPDATE");
  db_.exec("SET lock_timeout = '50ms'");
  EXPECT_THROW(claim(front_, 10), pqxx::sql_error);
  EXPECT_EQ(db_.value("SELECT is_called FROM rowrunner.reached_letter"), "f");
  holds.commit();
  EXPECT_EQ(claim(front_, 10), "a b");
  EXPECT_EQ(db_.value("SELECT is_called FROM rowrunner.reached_letter"), "t");
}

TEST_F(claim_mark, comes_and_goes_with_its_kind) {
  const std::string marks =
      "SELECT count(*) FROM pg_class WHERE relkind = 'S' AND relname = 'reached_letter'";
  EXPECT_EQ(db_.value(marks), "1");
  db_.exec("SELECT rowrunner.detach('letter')");
  EXPECT_EQ(db_.value(marks), "0");
  db_.exec("SELECT rowrunner.attach('letter_jobs', 'letter')");
  EXPECT_EQ(db_.value(marks), "1");
}

}  // namespace
}  // namespace rowrunner::testing
