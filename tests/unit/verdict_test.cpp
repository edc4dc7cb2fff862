#include <gtest/gtest.h>

#include "worker/execute.hpp"

namespace rowrunner {
namespace {

job_ptr stopped(stop_reason why) {
  auto job = std::make_shared<running_job>();
  job->stop = why;
  job->stop_note = "note";
  return job;
}

TEST(verdict, what_the_handler_returns_counts) {
  const auto v =
      verdict_of(stopped(stop_reason::none), outcome{snoozed{std::chrono::seconds{1}}}, "");
  EXPECT_TRUE(std::holds_alternative<snoozed>(v.result));
  EXPECT_FALSE(v.dropped);
}

TEST(verdict, an_exception_is_a_failure_with_its_message) {
  const auto v = verdict_of(stopped(stop_reason::none), std::nullopt, "boom");
  EXPECT_EQ(std::get<failed>(v.result).error, "boom");
  EXPECT_FALSE(std::get<failed>(v.result).final);
}

TEST(verdict, work_that_is_done_counts_whatever_was_asked) {
  for (const auto why : {stop_reason::cancelled, stop_reason::timed_out, stop_reason::lease_lost,
                         stop_reason::shutdown}) {
    const auto v = verdict_of(stopped(why), outcome{succeeded{}}, "");
    EXPECT_TRUE(std::holds_alternative<succeeded>(v.result));
    EXPECT_FALSE(v.dropped);
  }
}

TEST(verdict, each_reason_to_stop_has_its_end) {
  EXPECT_EQ(std::get<cancelled>(verdict_of(stopped(stop_reason::cancelled), {}, "x").result).reason,
            "note");
  EXPECT_EQ(std::get<failed>(verdict_of(stopped(stop_reason::timed_out), {}, "x").result).error,
            "note");
  EXPECT_EQ(
      std::get<snoozed>(verdict_of(stopped(stop_reason::shutdown), {}, "x").result).after.count(),
      0);
  EXPECT_TRUE(verdict_of(stopped(stop_reason::lease_lost), {}, "x").dropped);
}

}  // namespace
}  // namespace rowrunner
