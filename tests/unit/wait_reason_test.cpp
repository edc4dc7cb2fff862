#include "admin/wait_reason.hpp"

#include <gtest/gtest.h>

namespace rowrunner::admin {
namespace {

/// A job that the next claim may take.
wait_facts ready() {
  wait_facts facts;
  facts.kind = "mail";
  facts.status = "queued";
  facts.workers = 1;
  facts.has_entry = true;
  return facts;
}

TEST(wait_reason, is_empty_for_a_job_that_does_not_wait) {
  for (const auto* status : {"processing", "succeeded", "failed", "cancelled"}) {
    auto facts = ready();
    facts.status = status;
    EXPECT_EQ(wait_reason(facts), "");
  }
}

TEST(wait_reason, is_the_position_if_nothing_else_keeps_it) {
  auto facts = ready();
  EXPECT_EQ(wait_reason(facts), "it is about number 1 in the queue");
  facts.before = 41;
  facts.vacuum_blocker = "session 7";
  EXPECT_EQ(
      wait_reason(facts),
      "it is about number 42 in the queue; claims are slow while VACUUM is blocked by session "
      "7");
  facts.vacuum_blocker.clear();
  facts.before = wait_facts::most_before;
  EXPECT_EQ(wait_reason(facts), "more than 10000 jobs are before it");
}

TEST(wait_reason, names_everything_that_keeps_it) {
  auto facts = ready();
  facts.paused = true;
  facts.workers = 0;
  EXPECT_EQ(wait_reason(facts),
            "kind mail is paused: run rowrunner kinds resume mail; no worker has reported for kind "
            "mail in the last 30 seconds: start one that serves it");
}

TEST(wait_reason, names_the_error_of_a_kind_of_which_nothing_can_be_claimed) {
  auto facts = ready();
  facts.kind_problem = "permission denied";
  EXPECT_EQ(wait_reason(facts), "claims of kind mail fail: permission denied");
}

TEST(wait_reason, of_a_held_job_is_how_many_it_waits_for) {
  auto facts = ready();
  facts.due = false;
  facts.has_entry = false;
  facts.waits_for = "3 of 10 jobs";
  EXPECT_EQ(wait_reason(facts), "it waits for 3 of 10 jobs");
}

TEST(wait_reason, of_a_delayed_job_is_its_time) {
  auto facts = ready();
  facts.due = false;
  facts.has_entry = false;
  facts.has_delayed_entry = true;
  facts.run_at = "2030-01-01T00:00:00Z";
  EXPECT_EQ(wait_reason(facts), "it is delayed until 2030-01-01T00:00:00Z (run_at)");
  facts.run_at.clear();
  EXPECT_EQ(wait_reason(facts), "its run_at is infinity: it waits until that is changed");
  facts.has_delayed_entry = false;
  EXPECT_EQ(wait_reason(facts), "its run_at is infinity: it waits until that is changed");
  facts.has_delayed_entry = true;
  facts.due = true;
  EXPECT_EQ(wait_reason(facts),
            "it is about to enter the queue: a worker moves it at one of its polls");
}

TEST(wait_reason, of_a_job_without_an_entry_is_to_repair) {
  auto facts = ready();
  facts.has_entry = false;
  EXPECT_EQ(wait_reason(facts), "it has no queue entry: run rowrunner kinds repair mail");
  facts.has_triggers = false;
  EXPECT_EQ(wait_reason(facts),
            "it has no queue entry, and triggers of its table are missing or disabled: attach the "
            "table again: run rowrunner kinds repair mail");
}

TEST(wait_reason, names_the_session_that_locks_as_far_as_it_is_known) {
  auto facts = ready();
  facts.row_locked = true;
  EXPECT_EQ(wait_reason(facts), "its row is locked by another session");
  facts.row_lock = lock_holder{7, "", ""};
  EXPECT_EQ(wait_reason(facts), "its row is locked by session 7");
  facts.row_lock = lock_holder{7, "psql", "2030-01-01T00:00:00Z"};
  EXPECT_EQ(wait_reason(facts),
            "its row is locked by session 7 (psql, since 2030-01-01T00:00:00Z)");
  facts.row_locked = false;
  facts.table_lock = facts.row_lock;
  EXPECT_EQ(wait_reason(facts),
            "its table is locked by session 7 (psql, since 2030-01-01T00:00:00Z)");
}

TEST(wait_reason, of_a_row_that_no_claim_can_take_is_the_noted_error) {
  auto facts = ready();
  facts.claim_error = "violates check constraint";
  EXPECT_EQ(wait_reason(facts), "it could not be claimed: violates check constraint");
}

TEST(wait_reason, of_a_lost_workers_job_says_who_takes_it_back) {
  auto facts = ready();
  facts.status = "processing";
  facts.lost_worker = "a:1";
  EXPECT_EQ(wait_reason(facts), "worker a:1 was lost: a worker of the kind takes the job back");
  facts.workers = 0;
  EXPECT_EQ(wait_reason(facts).substr(0, 39), "worker a:1 was lost: no worker has repo");
}

}  // namespace
}  // namespace rowrunner::admin
