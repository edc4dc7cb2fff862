// The worker with the wrong clock has a wrong time of day, and timers that work.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "chaos/paths.hpp"
#include "chaos/recorder.hpp"
#include "support/process.hpp"

namespace rowrunner::chaos {
namespace {

using namespace std::chrono_literals;

/// What Boost.Asio does for a timer that is due when it is set.
bool due_timer_fires() {
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  const itimerspec at_once{{0, 0}, {0, 1}};
  itimerspec before{};
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &at_once, &before);
  pollfd wanted{timer, POLLIN, 0};
  const bool fired = poll(&wanted, 1, 10'000) == 1;
  close(timer);
  return fired;
}

auto time_of_day() { return std::chrono::system_clock::now().time_since_epoch(); }
auto real_time() { return std::chrono::microseconds{real_time_us()}; }

TEST(wrong_clock, is_wrong_by_an_hour_and_timers_fire) {
  if (wrong_clock_libraries().empty()) GTEST_SKIP() << "nothing may be preloaded";
  if (std::getenv("FAKETIME") != nullptr) {  // in the child
    const auto wrong_by = time_of_day() - real_time();
    EXPECT_GT(std::chrono::abs(wrong_by), 59min);
    EXPECT_TRUE(due_timer_fires());
    return;
  }
  EXPECT_LT(std::chrono::abs(time_of_day() - real_time()), 1min);
  for (const auto* by : {"+1h", "-1h"}) {
    const auto child = testing::run_process(
        {"/proc/" + std::to_string(getpid()) + "/exe", "--gtest_filter=wrong_clock.*"},
        {{"LD_PRELOAD", wrong_clock_libraries()},
         {"FAKETIME", by},
         {"FAKETIME_DONT_FAKE_MONOTONIC", "1"}});
    EXPECT_EQ(child.exit_code, 0) << by << child.out;
    EXPECT_THAT(child.out, ::testing::HasSubstr("1 test from 1 test suite ran"));
  }
}

}  // namespace
}  // namespace rowrunner::chaos
