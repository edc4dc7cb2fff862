#include "worker/end_retries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "worker/lane.hpp"

namespace rowrunner {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

const auto start = end_retries::clock::time_point{} + 1h;
const end_refusal locked{"55P03", "succeed/test", "lock timeout"};
const end_refusal checked{"23514", "succeed/test", "violates a check"};
const end_refusal by_effect{"23502", "", "null value"};
const end_refusal unlucky{"40001", "succeed/test", "could not serialize"};

verdict of(lane& of_kind, std::int64_t lease, ending result = succeeded{}) {
  auto job = std::make_shared<running_job>();
  job->lane = &of_kind;
  job->lease = lease;
  return {job, std::move(result)};
}

std::vector<verdict> batch_of(lane& of_kind, int jobs) {
  std::vector<verdict> all;
  for (int i = 0; i < jobs; ++i) all.push_back(of(of_kind, i));
  return all;
}

std::int64_t refusals_of(std::vector<verdict> first, const std::vector<std::int64_t>& bad) {
  end_retries retries;
  const auto is_bad = [&](const verdict& v) {
    return std::find(bad.begin(), bad.end(), v.job->lease) != bad.end();
  };
  std::int64_t refusals = 1;
  retries.refused(std::move(first), locked, start);
  for (auto due = retries.due(start); !due.empty(); due = retries.due(start)) {
    for (auto& each : due) {
      if (std::none_of(each.begin(), each.end(), is_bad)) {
        retries.written(each);
        continue;
      }
      ++refusals;
      retries.refused(std::move(each), locked, start);
    }
  }
  EXPECT_EQ(retries.size(), bad.size());
  return refusals;
}

TEST(end_retries, one_bad_row_of_two_thousand_is_found_in_a_dozen_steps) {
  lane of_kind;
  for (const std::int64_t bad : {0, 777, 1999}) {
    EXPECT_LE(refusals_of(batch_of(of_kind, 2000), {bad}), 12) << bad;
  }
  EXPECT_LE(refusals_of(batch_of(of_kind, 2000), {3, 1234}), 24);
}

TEST(end_retries, a_kind_of_which_nothing_can_be_written_rests) {
  lane of_kind;
  end_retries retries;
  retries.refused(batch_of(of_kind, 1000), locked, start);
  int tried = 1;
  for (auto due = retries.due(start); !due.empty(); due = retries.due(start)) {
    for (auto& each : due) {
      ++tried;
      retries.refused(std::move(each), locked, start);
    }
  }
  EXPECT_EQ(tried, end_retries::failures_before_rest);
  EXPECT_EQ(retries.size(), 1000U);
  EXPECT_EQ(retries.next_due(), start + end_retries::rest);
  EXPECT_EQ(retries.due(start + end_retries::rest).size(), 1U);
}

TEST(end_retries, kinds_part_first) {
  lane a, b;
  end_retries retries;
  auto mixed = batch_of(a, 3);
  mixed.push_back(of(b, 9));
  retries.refused(std::move(mixed), locked, start);
  EXPECT_TRUE(retries.in_trouble(&a));
  std::vector<std::size_t> sizes;
  for (auto due = retries.due(start); !due.empty(); due = retries.due(start)) {
    for (const auto& each : due) sizes.push_back(each.size());
  }
  EXPECT_THAT(sizes, ::testing::UnorderedElementsAre(3, 1));
  EXPECT_FALSE(retries.in_trouble(&a));
}

TEST(end_retries, new_outcomes_do_not_wait_behind_those_that_were_refused_alone) {
  lane of_kind;
  end_retries retries;
  for (int i = 0; i < 3; ++i) retries.refused(batch_of(of_kind, 1), locked, start);
  retries.add(batch_of(of_kind, 5), start + 1s);
  const auto due = retries.due(start + 1s);
  ASSERT_THAT(due, SizeIs(2));
  EXPECT_THAT(due[0], SizeIs(5));
  EXPECT_THAT(due[1], SizeIs(1));
}

TEST(end_retries, a_hurry_makes_everything_due) {
  lane of_kind;
  end_retries retries;
  retries.refused(batch_of(of_kind, 1), locked, start);
  EXPECT_THAT(retries.due(start), IsEmpty());
  retries.hurry();
  EXPECT_THAT(retries.due(start), SizeIs(1));
}

TEST(after_refusal, a_report_that_is_refused_is_given_up_and_the_outcome_stays) {
  const end_refusal refused{"23514", "progress_at_end/test", "violates a check"};
  lane home;
  auto v = of(home, 1);
  v.job->progress = progress_report{1, 2, "half"};
  EXPECT_TRUE(drops_progress(v, refused));
  EXPECT_EQ(after_refusal(v, refused), 0ms);
  EXPECT_FALSE(v.job->progress);
  EXPECT_TRUE(std::holds_alternative<succeeded>(v.result));
  EXPECT_EQ(v.tries, 0);
}

TEST(after_refusal, a_report_that_fails_again_and_again_is_given_up_too) {
  const end_refusal deadlock{"40P01", "progress_at_end/test", "deadlock detected"};
  lane home;
  auto v = of(home, 1);
  v.job->progress = progress_report{1, 2, "half"};
  for (int i = 0; i < 4; ++i) EXPECT_GT(after_refusal(v, deadlock), 0ms);
  EXPECT_TRUE(v.job->progress);
  EXPECT_EQ(after_refusal(v, deadlock), 0ms);
  EXPECT_FALSE(v.job->progress);
  EXPECT_TRUE(std::holds_alternative<succeeded>(v.result));
  // The lock may be on the job's own row, which the end needs too.
  const end_refusal blocked{"55P03", "progress_at_end/test", "lock timeout"};
  v.job->progress = progress_report{1, 2, "half"};
  for (int i = 0; i < 20; ++i) EXPECT_EQ(after_refusal(v, blocked), 1s);
  EXPECT_TRUE(v.job->progress);
}

TEST(end_retries, reports_that_are_refused_do_not_make_their_kind_rest) {
  const end_refusal refused{"23514", "progress_at_end/test", "violates a check"};
  lane home;
  end_retries retries;
  auto all = batch_of(home, 100);
  for (auto& v : all) v.job->progress = progress_report{1, 2, "half"};
  retries.refused(std::move(all), refused, start);
  std::size_t written = 0;
  for (auto due = retries.due(start); !due.empty(); due = retries.due(start)) {
    for (auto& each : due) {
      if (each.front().job->progress) {
        retries.refused(std::move(each), refused, start);
      } else {
        written += each.size();
        retries.written(each);
      }
    }
  }
  EXPECT_EQ(written, 100U);
}

TEST(after_refusal, a_lock_is_waited_for_as_long_as_it_is_held) {
  lane of_kind;
  auto v = of(of_kind, 1);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(after_refusal(v, locked), 1s);
  EXPECT_TRUE(std::holds_alternative<succeeded>(v.result));
}

TEST(after_refusal, a_refused_effect_fails_the_attempt_at_once) {
  lane of_kind;
  succeeded end;
  end.effects.push_back({"INSERT", {}});
  auto v = of(of_kind, 1, end);
  EXPECT_EQ(after_refusal(v, by_effect), 0ms);
  EXPECT_EQ(std::get<failed>(v.result).error,
            "the outcome was refused by the database: null value");
  EXPECT_FALSE(std::get<failed>(v.result).final);
}

TEST(after_refusal, a_refused_row_is_tried_again_then_failed_then_given_up) {
  lane of_kind;
  auto v = of(of_kind, 1);
  std::vector<std::int64_t> pauses;
  auto pause = after_refusal(v, checked);
  for (; pause; pause = after_refusal(v, checked)) pauses.push_back(pause->count());
  EXPECT_THAT(pauses, ::testing::ElementsAre(200, 400, 800, 1600, 0, 200, 400, 800, 1600, 0, 200,
                                             400, 800, 1600));
  EXPECT_TRUE(std::get<failed>(v.result).final);
}

TEST(after_refusal, what_may_pass_costs_the_attempt_only_after_some_tries) {
  lane of_kind;
  auto v = of(of_kind, 1);
  for (int i = 0; i < 4; ++i) after_refusal(v, unlucky);
  EXPECT_TRUE(std::holds_alternative<succeeded>(v.result));
  after_refusal(v, unlucky);
  EXPECT_EQ(std::get<failed>(v.result).error,
            "the outcome could not be written: could not serialize");
}

TEST(after_refusal, the_error_of_the_handler_is_kept) {
  lane of_kind;
  auto v = of(of_kind, 1, failed{"boom", {}, false});
  for (int i = 0; i < 5; ++i) after_refusal(v, checked);
  EXPECT_TRUE(std::get<failed>(v.result).final);
  EXPECT_EQ(std::get<failed>(v.result).error,
            "boom; the outcome was refused by the database: violates a check");
}

}  // namespace
}  // namespace rowrunner
