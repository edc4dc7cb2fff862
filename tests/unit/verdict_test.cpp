#include "worker/verdict.hpp"

#include <gtest/gtest.h>

namespace rowrunner {
namespace {

using namespace std::chrono_literals;

job_ptr stopped(stop_reason why) {
  auto job = std::make_shared<running_job>();
  job->stop = why;
  job->stop_note = "note";
  return job;
}

template <typename Kind>
Kind ended_as(stop_reason why, std::optional<outcome> returned, std::string error) {
  const auto how = ending_of(*stopped(why), std::move(returned), std::move(error));
  return std::get<Kind>(how.value());
}

TEST(verdict, what_the_handler_returns_counts) {
  EXPECT_EQ(ended_as<snoozed>(stop_reason::none, snoozed{1s}, "").after, 1s);
  EXPECT_EQ(ended_as<cancelled>(stop_reason::none, cancelled{"why"}, "").reason, "why");
  EXPECT_TRUE(ended_as<failed>(stop_reason::none, final_failure("bad"), "").final);
}

TEST(verdict, an_exception_is_a_failure_with_its_message) {
  const auto end = ended_as<failed>(stop_reason::none, std::nullopt, "boom");
  EXPECT_EQ(end.error, "boom");
  EXPECT_FALSE(end.final);
}

TEST(verdict, work_that_is_done_counts_whatever_was_asked) {
  for (const auto why : {stop_reason::cancelled, stop_reason::timed_out, stop_reason::lease_lost,
                         stop_reason::shutdown}) {
    succeeded done;
    done.effects.push_back({"INSERT", {}});
    EXPECT_EQ(ended_as<succeeded>(why, done, "").effects.size(), 1U);
  }
}

TEST(verdict, each_reason_to_stop_has_its_end) {
  EXPECT_EQ(ended_as<cancelled>(stop_reason::cancelled, {}, "x").reason, "note");
  EXPECT_EQ(ended_as<failed>(stop_reason::timed_out, {}, "x").error, "note");
  ended_as<released>(stop_reason::shutdown, {}, "x");
  EXPECT_FALSE(ending_of(*stopped(stop_reason::lease_lost), {}, "x").has_value());
}

TEST(verdict, a_job_that_was_stopped_does_not_choose_another_end) {
  ended_as<released>(stop_reason::shutdown, snoozed{1h}, "");
  EXPECT_EQ(ended_as<cancelled>(stop_reason::cancelled, failed{"x", {}, false}, "").reason, "note");
}

}  // namespace
}  // namespace rowrunner
