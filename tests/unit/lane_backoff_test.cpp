#include "worker/lane_backoff.hpp"

#include <gtest/gtest.h>

namespace rowrunner {
namespace {

using namespace std::chrono_literals;
const lane_backoff::clock::time_point start{1h};

TEST(lane_backoff, is_due_until_something_fails) {
  const lane_backoff tries(2s);
  EXPECT_TRUE(tries.due(start));
  EXPECT_FALSE(tries.failed_repeatedly());
}

TEST(lane_backoff, waits_twice_as_long_each_time_up_to_the_longest) {
  lane_backoff tries(1s);
  auto now = start;
  for (const auto pause : {100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms}) {
    tries.failed(now);
    EXPECT_EQ(tries.until(), now + pause);
    EXPECT_FALSE(tries.due(now + pause - 1ms));
    EXPECT_TRUE(tries.due(now + pause));
    now += pause;
  }
}

TEST(lane_backoff, waits_longer_if_asked_to) {
  lane_backoff tries(1s);
  tries.failed(start, "slow", 5s);
  EXPECT_EQ(tries.until(), start + 5s);
  tries.failed(start + 5s, "locked", 1ms);
  EXPECT_EQ(tries.until(), start + 5200ms);
}

TEST(lane_backoff, keeps_the_reason_until_a_try_succeeds) {
  lane_backoff tries(1s);
  EXPECT_EQ(tries.reason(), "");
  tries.failed(start, "denied");
  EXPECT_EQ(tries.reason(), "denied");
  tries.reset();
  EXPECT_EQ(tries.reason(), "");
}

TEST(lane_backoff, has_failed_repeatedly_after_three_failures_in_a_row) {
  lane_backoff tries(1s);
  for (int i = 0; i < 2; ++i) tries.failed(start);
  EXPECT_FALSE(tries.failed_repeatedly());
  tries.failed(start);
  EXPECT_TRUE(tries.failed_repeatedly());
  tries.reset();
  EXPECT_FALSE(tries.failed_repeatedly());
  EXPECT_TRUE(tries.due(start));
  tries.failed(start);
  EXPECT_EQ(tries.until(), start + 100ms);
}

}  // namespace
}  // namespace rowrunner
