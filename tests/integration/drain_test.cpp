// A worker that drains ends by itself when nothing is due. The polls are a day apart here, so a
// drain that waited for one would not end.

#include <gtest/gtest.h>

#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

worker_options without_polls(const test_database& db) {
  auto options = worker_thread::options_for(db);
  options.drain = true;
  options.poll_min = options.poll_max = std::chrono::hours{24};
  return options;
}

worker_counts drain(worker_options options) {
  return worker_thread(std::move(options), [](worker& w) { w.add(test_kind(), run_test_job); })
      .join();
}

TEST(drain, of_nothing_ends_without_waiting_for_a_poll) {
  jobs_database db;
  EXPECT_EQ(drain(without_polls(db)).claimed, 0);
}

TEST(drain, behind_a_pooler_ends_without_waiting_for_a_poll) {
  jobs_database db;
  auto options = without_polls(db);
  options.pooled = true;
  EXPECT_EQ(drain(std::move(options)).claimed, 0);
}

TEST(drain, runs_what_is_due_and_leaves_what_is_not) {
  jobs_database db;
  for (int i = 0; i < 30; ++i) db.add("due" + std::to_string(i));
  db.add("later");
  db.exec("UPDATE test_jobs SET run_at = now() + interval '1 day' WHERE name = 'later'");
  EXPECT_EQ(drain(without_polls(db)).succeeded, 30);
  EXPECT_EQ(db.status("later"), "queued");
}

TEST(drain, does_not_wait_for_what_another_worker_runs) {
  jobs_database db;
  db.add("theirs", "ok", 3'600'000);
  worker_thread other(db);
  ASSERT_TRUE(db.reaches("theirs", "processing"));
  EXPECT_EQ(drain(without_polls(db)).claimed, 0);
  EXPECT_EQ(db.value("SELECT status || attempts FROM test_jobs"), "processing0");
  // Its end is the second request, which ends the grace period.
  other.request_stop();
}

TEST(drain, does_not_wait_for_a_kind_that_is_paused) {
  jobs_database db;
  db.add("a");
  db.exec("UPDATE rowrunner.kinds SET paused = true");
  EXPECT_EQ(drain(without_polls(db)).claimed, 0);
  EXPECT_EQ(db.status("a"), "queued");
}

}  // namespace
}  // namespace rowrunner::testing
