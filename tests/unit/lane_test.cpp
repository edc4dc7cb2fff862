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
  home.moved = start;
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

}  // namespace
}  // namespace rowrunner
