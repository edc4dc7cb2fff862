#include <gtest/gtest.h>

#include <climits>
#include <rowrunner/retry.hpp>

namespace rowrunner {
namespace {

using namespace std::chrono_literals;

TEST(retry_policy, doubles_up_to_the_cap) {
  const retry_policy policy{1s, 10s, 0};
  EXPECT_EQ(policy.delay(1, 0.5), 1s);
  EXPECT_EQ(policy.delay(2, 0.5), 2s);
  EXPECT_EQ(policy.delay(4, 0.5), 8s);
  EXPECT_EQ(policy.delay(5, 0.5), 10s);
  EXPECT_EQ(policy.delay(INT_MAX, 0.5), 10s);
}

TEST(retry_policy, jitter_takes_away_at_most_its_share) {
  const retry_policy policy{1s, 10s, 0.25};
  EXPECT_EQ(policy.delay(1, 0), 1000ms);
  EXPECT_EQ(policy.delay(1, 0.9999), 750ms);
}

TEST(retry_policy, at_once_never_waits) {
  EXPECT_EQ(retry_policy::at_once().delay(1, 0.7), 0ms);
  EXPECT_EQ(retry_policy::at_once().delay(30, 0.7), 0ms);
}

}  // namespace
}  // namespace rowrunner
