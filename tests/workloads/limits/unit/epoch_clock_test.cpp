#include "workloads/limits/epoch_clock.hpp"

#include <gtest/gtest.h>

namespace rowrunner::limits {
namespace {

using namespace std::chrono_literals;

TEST(limit_clock, the_quickest_answer_tells_the_time) {
  epoch_clock of;
  EXPECT_FALSE(of.known());
  of.learn(0ms, 100ms, 1'000'080ms);  // the answer took long, the question did not
  of.learn(200ms, 202ms, 1'000'201ms);
  EXPECT_EQ(of.at(300ms), 1'000'300ms);
  EXPECT_EQ(of.local(1'000'300ms), 300ms);
  EXPECT_LE(of.error(), 2ms);
}

TEST(limit_clock, a_clock_that_was_set_is_followed_at_once) {
  epoch_clock of;
  of.learn(0ms, 2ms, 1'000'001ms);
  of.learn(10ms, 12ms, 400'011ms);
  EXPECT_EQ(of.at(20ms), 400'020ms);
}

TEST(limit_clock, old_answers_are_forgotten_so_that_drift_is_followed) {
  epoch_clock of;
  of.learn(0ms, 0ms, 0ms);
  // One part in a thousand too slow; each of the later answers takes longer than the first one.
  for (int i = 1; i <= 20; ++i) {
    const auto local = std::chrono::milliseconds(100 * i);
    of.learn(local, local + 1ms, local + std::chrono::microseconds(100 * i + 500));
  }
  EXPECT_GT(of.at(2s), 2s);
}

}  // namespace
}  // namespace rowrunner::limits
