#include "worker/lane.hpp"

#include <gtest/gtest.h>

namespace rowrunner {
namespace {

using namespace std::chrono_literals;

const lane::clock::time_point start{1h};

/// A lane that has ended so many jobs a second, with one more ready.
lane busy_lane(int slots, int per_second) {
  lane home;
  home.options.max_concurrent = slots;
  home.size.resumed(start);
  // The estimate keeps half of its old figure each time.
  for (int i = 1; i <= 20; ++i) home.size.ended(per_second, slots, start + i * 1s);
  home.ready.push_back(std::make_shared<running_job>());
  home.last_start = start;
  return home;
}

TEST(lane, short_jobs_that_stop_are_given_back_soon) {
  const lane home = busy_lane(10, 10'000);
  EXPECT_FALSE(home.stuck(start + 59ms));
  EXPECT_TRUE(home.stuck(start + 60ms));
}

TEST(lane, jobs_that_began_together_may_end_together) {
  const lane home = busy_lane(200, 2'000);  // 100 ms each
  EXPECT_FALSE(home.stuck(start + 150ms));
  EXPECT_TRUE(home.stuck(start + 205ms));
}

TEST(lane, nobody_waits_long_behind_long_jobs) {
  const lane home = busy_lane(50, 50);  // a second each
  EXPECT_FALSE(home.stuck(start + 249ms));
  EXPECT_TRUE(home.stuck(start + 250ms));
}

TEST(lane, without_jobs_that_are_ready_nothing_is_stuck) {
  lane home = busy_lane(10, 10'000);
  home.ready.clear();
  EXPECT_FALSE(home.stuck(start + 1h));
}

lane::stretch whole_queue(int jobs, bool maybe_locked) {
  return {.jobs = jobs, .from_front = true, .to_the_end = true, .maybe_locked = maybe_locked};
}

TEST(lane, sleeps_when_all_that_is_left_is_locked) {
  lane home;
  home.walked(whole_queue(0, true), start);
  EXPECT_TRUE(home.asleep);
  EXPECT_FALSE(home.locked.due(start));
}

TEST(lane, goes_on_while_it_takes_jobs_beside_locked_ones) {
  lane home;
  home.walked(whole_queue(1, true), start);
  EXPECT_FALSE(home.asleep);
  EXPECT_TRUE(home.locked.due(start));
}

TEST(lane, does_not_take_an_empty_queue_for_a_locked_one) {
  lane home;
  home.walked(whole_queue(0, false), start);
  EXPECT_TRUE(home.locked.due(start));
}

TEST(lane, judges_a_walk_of_several_claims_at_its_end) {
  lane home;
  home.walked({.jobs = 0, .from_front = true, .to_the_end = false, .maybe_locked = true}, start);
  EXPECT_FALSE(home.asleep) << "there may be free jobs behind";
  home.walked({.jobs = 0, .from_front = false, .to_the_end = true, .maybe_locked = false}, start);
  EXPECT_TRUE(home.asleep);
}

TEST(lane, forgets_what_was_locked_when_jobs_come_again) {
  lane home;
  for (int i = 0; i < lane_backoff::hopeless_after; ++i) home.walked(whole_queue(0, true), start);
  EXPECT_TRUE(home.locked.hopeless());
  home.walked(whole_queue(1, true), start);
  EXPECT_FALSE(home.locked.hopeless());
}

TEST(lane, claims_again_when_neither_look_nor_trouble_forbids_it) {
  lane home;
  EXPECT_LE(home.next_claim(), start);
  home.claims.failed(start);
  home.wake();
  EXPECT_EQ(home.next_claim(), start + 100ms) << "a wake-up does not fix a claim that fails";
}

}  // namespace
}  // namespace rowrunner
