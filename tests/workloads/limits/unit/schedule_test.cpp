#include "workloads/limits/schedule.hpp"

#include <gtest/gtest.h>

namespace rowrunner::limits {
namespace {

using namespace std::chrono_literals;
using what = schedule::what;

TEST(limit_schedule, a_new_process_reports_reads_and_proposes) {
  schedule of(0.5);
  const instant now = 1'000'100ms;
  auto next = of.next({now, false, false, true});
  EXPECT_EQ(next.todo, what::report);
  of.begun(next, now);
  next = of.next({now, false, false, false});
  EXPECT_EQ(next.todo, what::read);
  EXPECT_EQ(next.target, 1'000);
  of.begun(next, now);
  next = of.next({now, false, false, false});
  EXPECT_EQ(next.todo, what::propose);
  EXPECT_EQ(next.target, 1'000);
  of.begun(next, now);
  // Three in this second: the fourth waits for the next one.
  next = of.next({now + 850ms, true, false, true});
  EXPECT_EQ(next.todo, what::wait);
  EXPECT_GE(next.until, 1'001s);
}

TEST(limit_schedule, a_second_has_a_report_and_a_look_at_the_next_plan) {
  schedule of(0);
  std::vector<what> done;
  bool has_next = false;
  auto now = instant(1'000s);
  while (now < 1'001s) {
    const auto next = of.next({now, true, has_next, false});
    if (next.todo == what::wait) {
      ASSERT_GT(next.until, now);
      now = next.until;
      continue;
    }
    done.push_back(next.todo);
    of.begun(next, now);
    has_next = next.todo == what::read;
  }
  EXPECT_EQ(done, (std::vector{what::report, what::read}));
}

TEST(limit_schedule, a_block_is_told_at_once) {
  schedule of(0);
  EXPECT_EQ(of.next({1'000'050ms, true, false, true}).todo, what::report);
}

TEST(limit_schedule, never_has_more_than_three_statements_a_second) {
  schedule of(0.3);
  std::vector<instant> begun;
  for (auto now = instant(1'000s); now < 1'030s;) {
    // The worst case: nothing is ever found, and there is always news.
    const auto next = of.next({now, false, false, (now.count() / 1'000) % 3 == 0});
    if (next.todo == what::wait) {
      now = next.until;
      continue;
    }
    begun.push_back(now);
    of.begun(next, now);
    now += 1ms;
  }
  ASSERT_GT(begun.size(), 60U);
  for (std::size_t i = 3; i < begun.size(); ++i) {
    EXPECT_GE(begun[i] - begun[i - 3], 800ms);
    EXPECT_NE(epoch_of(begun[i]), epoch_of(begun[i - 3]));
  }
}

TEST(limit_schedule, waits_a_little_after_a_failure) {
  schedule of(0.3);
  of.failed(1'000s);
  const auto next = of.next({1'000s, false, false, true});
  EXPECT_EQ(next.todo, what::wait);
  EXPECT_GT(next.until, 1'000s);
}

TEST(limit_schedule, cleans_up_every_few_minutes) {
  schedule of(0.3);
  int cleaned = 0;
  for (auto now = instant(1'000s); now < 1'600s;) {
    const auto next = of.next({now, true, true, false});
    if (next.todo == what::wait) {
      now = std::max(next.until, now + 1ms);
      continue;
    }
    cleaned += next.todo == what::clean_up ? 1 : 0;
    of.begun(next, now);
  }
  EXPECT_GE(cleaned, 3);
  EXPECT_LE(cleaned, 6);
}

}  // namespace
}  // namespace rowrunner::limits
