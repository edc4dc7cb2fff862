#include "worker/claim_state.hpp"

#include <gtest/gtest.h>

namespace rowrunner {
namespace {

using namespace std::chrono_literals;

const claim_state::time start{1h};

claim_facts whole_queue(int jobs, bool maybe_locked) {
  return {
      .jobs = jobs, .seen = jobs, .asked = 10, .from_front = true, .maybe_locked = maybe_locked};
}
const claim_facts nothing = whole_queue(0, false);

void fail_often(claim_state& state, loop_task task) {
  for (int i = 0; i < lane_backoff::repeated_failures; ++i) state.failed(task, start);
}

TEST(claim_state, claims_a_few_times_more_after_an_empty_one_and_then_sleeps) {
  claim_state state;
  EXPECT_TRUE(state.may_claim(start));
  for (const auto pause : {2ms, 4ms, 8ms}) {
    state.claimed(nothing, false, start);
    EXPECT_TRUE(state.awake());
    EXPECT_EQ(state.next_claim(), start + pause);
    EXPECT_FALSE(state.may_claim(start));
  }
  state.claimed(nothing, false, start);
  EXPECT_TRUE(state.asleep());
}

TEST(claim_state, a_drain_sleeps_after_the_first_empty_claim) {
  claim_state state;
  state.claimed(nothing, true, start);
  EXPECT_TRUE(state.asleep());
}

TEST(claim_state, after_the_last_of_many_jobs_the_next_claim_waits_for_a_batch) {
  claim_state state;
  auto some = whole_queue(20, false);
  some.asked = 100;
  state.claimed(some, false, start);
  EXPECT_EQ(state.next_claim(), start + 10ms);
  some.jobs = some.seen = 90;
  state.claimed(some, false, start);
  EXPECT_EQ(state.next_claim(), start + 25ms) << "not longer, however many there were";
}

TEST(claim_state, a_full_claim_is_followed_by_another_at_once) {
  claim_state state;
  state.claimed(nothing, false, start);
  state.claimed(whole_queue(10, false), false, start);
  EXPECT_TRUE(state.may_claim(start));
}

TEST(claim_state, sleeps_when_all_that_is_left_is_locked) {
  claim_state state;
  state.claimed(whole_queue(0, true), false, start);
  EXPECT_TRUE(state.asleep());
  EXPECT_FALSE(state.due(loop_task::locked, start));
}

TEST(claim_state, takes_an_entry_that_a_poll_saw_and_no_claim_sees_for_locked) {
  claim_state state;
  state.polled({.waiting = true}, start);
  state.claimed(nothing, false, start);
  EXPECT_TRUE(state.asleep());
  EXPECT_FALSE(state.due(loop_task::locked, start));
}

TEST(claim_state, goes_on_while_it_takes_jobs_beside_locked_ones) {
  claim_state state;
  state.claimed(whole_queue(1, true), false, start);
  EXPECT_FALSE(state.asleep());
  EXPECT_TRUE(state.due(loop_task::locked, start));
}

TEST(claim_state, does_not_take_an_empty_queue_for_a_locked_one) {
  claim_state state;
  state.claimed(nothing, false, start);
  EXPECT_TRUE(state.due(loop_task::locked, start));
}

TEST(claim_state, judges_a_walk_of_several_claims_at_its_end) {
  claim_state state;
  state.claimed({.seen = 10, .asked = 10, .from_front = true, .maybe_locked = true}, false, start);
  EXPECT_FALSE(state.asleep()) << "there may be free jobs behind";
  state.claimed({.seen = 3, .asked = 10}, false, start);
  EXPECT_TRUE(state.asleep());
}

TEST(claim_state, forgets_what_was_locked_when_jobs_come_again) {
  claim_state state;
  for (int i = 0; i < lane_backoff::repeated_failures; ++i) {
    state.claimed(whole_queue(0, true), false, start);
  }
  EXPECT_STREQ(state.left_behind(), "other sessions have locked them");
  state.claimed(whole_queue(1, true), false, start);
  EXPECT_EQ(state.left_behind(), nullptr);
}

TEST(claim_state, a_poll_that_sees_no_entry_forgets_what_was_locked) {
  claim_state state;
  fail_often(state, loop_task::locked);
  state.polled({}, start);
  EXPECT_STREQ(state.left_behind(), "other sessions have locked them") << "it is not asleep";
  state.claimed(whole_queue(0, true), false, start);
  state.polled({}, start);
  EXPECT_EQ(state.left_behind(), nullptr);
}

TEST(claim_state, a_wake_up_does_not_fix_a_claim_that_fails) {
  claim_state state;
  EXPECT_EQ(state.failed(loop_task::claim, start), 100ms);
  state.wake();
  EXPECT_EQ(state.next_claim(), start + 100ms);
  state.claimed(nothing, false, start);
  EXPECT_EQ(state.next_claim(), start + 2ms);
}

TEST(claim_state, a_paused_kind_claims_nothing_until_a_poll_says_otherwise) {
  claim_state state;
  state.polled({.paused = true}, start);
  EXPECT_FALSE(state.may_claim(start));
  state.polled({}, start);
  EXPECT_TRUE(state.may_claim(start));
}

TEST(claim_state, rescues_and_moves_what_a_poll_finds) {
  claim_state state;
  auto tasks = state.polled({}, start);
  EXPECT_FALSE(tasks.rescue || tasks.move);
  tasks = state.polled({.next_due = 5ms}, start);
  EXPECT_FALSE(tasks.move) << "not yet";
  tasks = state.polled({.next_due = 0ms, .expired = true}, start);
  EXPECT_TRUE(tasks.rescue && tasks.move);
}

TEST(claim_state, waits_after_a_rescue_or_a_move_that_brought_nothing) {
  claim_state state;
  const poll_row both{.next_due = 0ms, .expired = true};
  state.polled(both, start);
  state.rescued(0, false, start);
  state.moved(0, start);
  auto tasks = state.polled(both, start + 99ms);
  EXPECT_FALSE(tasks.rescue || tasks.move);
  tasks = state.polled(both, start + 100ms);
  EXPECT_TRUE(tasks.rescue && tasks.move);
  state.rescued(1, false, start + 100ms);
  state.moved(1, start + 100ms);
  tasks = state.polled(both, start + 100ms);
  EXPECT_TRUE(tasks.rescue && tasks.move) << "there may be more";
}

TEST(claim_state, what_another_worker_did_ends_the_trouble) {
  claim_state state;
  fail_often(state, loop_task::rescue);
  fail_often(state, loop_task::move);
  EXPECT_STREQ(state.left_behind(), "jobs of lost workers cannot be taken back");
  state.polled({.next_due = 0ms}, start);
  EXPECT_STREQ(state.left_behind(), "delayed jobs cannot be moved");
  state.polled({}, start);
  EXPECT_EQ(state.left_behind(), nullptr);
}

TEST(claim_state, orphans_that_are_locked_are_left_behind_until_their_time_has_come) {
  claim_state state;
  state.rescued(3, true, start);
  EXPECT_STREQ(state.left_behind(), "jobs of lost workers, which other sessions have locked");
  state.polled({}, start + 1500ms);
  EXPECT_NE(state.left_behind(), nullptr) << "the lease is put off, not gone";
  state.polled({}, start + 1501ms);
  EXPECT_EQ(state.left_behind(), nullptr);
}

TEST(claim_state, says_of_what_is_left_behind_what_is_nearest_to_the_job) {
  claim_state state;
  EXPECT_EQ(state.left_behind(), nullptr);
  fail_often(state, loop_task::poll);
  EXPECT_STREQ(state.left_behind(), "its polls fail");
  fail_often(state, loop_task::claim);
  EXPECT_STREQ(state.left_behind(), "its claims fail");
}

TEST(claim_state, what_is_due_of_a_paused_kind_is_left_behind) {
  claim_state state;
  state.polled({.paused = true}, start);
  EXPECT_EQ(state.left_behind(), nullptr);
  state.polled({.paused = true, .next_due = 1min}, start);
  EXPECT_EQ(state.left_behind(), nullptr) << "it is not due";
  state.polled({.paused = true, .next_due = 0ms}, start);
  EXPECT_STREQ(state.left_behind(), "the kind is paused");
  state.polled({.paused = true, .waiting = true}, start);
  EXPECT_STREQ(state.left_behind(), "the kind is paused");
  state.polled({.waiting = true}, start);
  EXPECT_EQ(state.left_behind(), nullptr);
}

TEST(claim_state, a_problem_is_what_failed_several_times_in_a_row) {
  claim_state state;
  for (int i = 1; i < lane_backoff::repeated_failures; ++i) {
    state.failed(loop_task::claim, start, "denied");
    EXPECT_EQ(state.problem(), "");
  }
  state.failed(loop_task::claim, start, "denied again");
  EXPECT_EQ(state.problem(), "denied again");
  state.claimed(nothing, false, start);
  EXPECT_EQ(state.problem(), "");
  for (int i = 0; i < lane_backoff::repeated_failures; ++i) {
    state.failed(loop_task::poll, start, "no sequence");
  }
  EXPECT_EQ(state.problem(), "no sequence");
}

}  // namespace
}  // namespace rowrunner
