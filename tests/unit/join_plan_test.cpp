#include "worker/join_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rowrunner {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

const join_plan::time start{1h};

class joins_decide : public ::testing::Test {
 protected:
  std::vector<join_plan::kind_id> begin(std::vector<join_plan::kind_id> noted,
                                        std::chrono::milliseconds after, bool idle = true) {
    return plan.begin(noted, idle, start + after);
  }
  /// A try that took so long.
  bool tried(join_plan::kind_id kind, const fired_joins& what, std::chrono::milliseconds at,
             std::chrono::milliseconds took = 5ms) {
    return plan.tried(kind, what, start + at - took, start + at);
  }

  join_plan plan;
  const fired_joins fired{3};
  const fired_joins locked{0};
  const fired_joins hung{0, "canceling statement due to statement timeout"};
};

TEST_F(joins_decide, a_kind_that_took_long_in_vain_waits_long_and_the_others_do_not) {
  EXPECT_THAT(begin({1, 2}, 0ms), ElementsAre(1, 2));
  tried(1, hung, 1s, 1s);
  tried(2, fired, 1s);
  EXPECT_TRUE(plan.due(true, start + 2s)) << "the poll asks of the others";
  EXPECT_THAT(begin({1, 2, 3}, 2s), ElementsAre(2, 3));
  EXPECT_THAT(begin({1}, 10'999ms), IsEmpty());
  EXPECT_THAT(begin({1}, 11s), ElementsAre(1));
}

TEST_F(joins_decide, a_kind_in_trouble_is_tried_last) {
  begin({1, 2}, 0ms);
  tried(1, hung, 1s, 1s);
  EXPECT_THAT(begin({1, 2}, 12s), ElementsAre(2, 1));
}

TEST_F(joins_decide, what_was_locked_is_tried_after_the_last_end_and_what_hung_is_not) {
  begin({1, 2}, 0ms);
  tried(1, hung, 10ms);
  tried(2, locked, 10ms);
  EXPECT_THAT(begin({1, 2}, 20ms), IsEmpty());
  plan.outcomes_written();
  EXPECT_THAT(begin({1, 2}, 30ms), ElementsAre(2));
  EXPECT_THAT(begin({1, 2}, 40ms), IsEmpty()) << "no end since";
  plan.outcomes_written();
  EXPECT_THAT(begin({1, 2}, 50ms, false), IsEmpty()) << "claims would wait";
}

TEST_F(joins_decide, what_was_fired_is_forgotten) {
  begin({1}, 0ms);
  tried(1, hung, 1s, 1s);
  begin({}, 2s);
  EXPECT_THAT(begin({1}, 3s), ElementsAre(1));
  tried(1, hung, 4s, 1s);
  plan.none();
  EXPECT_THAT(begin({1}, 5s), ElementsAre(1));
}

TEST_F(joins_decide, trouble_is_told_once) {
  begin({1}, 0ms);
  EXPECT_TRUE(tried(1, hung, 10ms));
  EXPECT_FALSE(tried(1, hung, 20ms));
  EXPECT_TRUE(tried(1, {0, "the table is locked"}, 30ms));
  EXPECT_FALSE(tried(1, fired, 40ms));
  EXPECT_TRUE(tried(1, hung, 50ms));
  EXPECT_FALSE(tried(1, locked, 60ms)) << "it passes by itself";
}

TEST_F(joins_decide, it_asks_again_when_the_first_kind_is_due) {
  begin({1, 2}, 0ms);
  tried(1, locked, 10ms);
  tried(2, hung, 1s, 1s);
  EXPECT_EQ(plan.next(), start + 110ms);
}

TEST_F(joins_decide, only_kinds_that_are_all_in_trouble_have_failed_repeatedly) {
  EXPECT_FALSE(plan.failed_repeatedly());
  begin({1, 2}, 0ms);
  for (int i = 0; i < lane_backoff::repeated_failures; ++i) {
    EXPECT_FALSE(plan.failed_repeatedly());
    tried(1, locked, 10ms);
    tried(2, hung, 10ms);
  }
  EXPECT_TRUE(plan.failed_repeatedly());
  tried(2, fired, 20ms);
  EXPECT_FALSE(plan.failed_repeatedly());
}

TEST_F(joins_decide, a_question_that_is_refused_is_put_off) {
  begin({1}, 0ms);
  tried(1, locked, 0ms);
  for (int i = 0; i < lane_backoff::repeated_failures; ++i) {
    EXPECT_FALSE(plan.failed_repeatedly());
    plan.no_answer(start);
  }
  EXPECT_TRUE(plan.failed_repeatedly());
  EXPECT_FALSE(plan.due(true, start + 399ms));
  EXPECT_TRUE(plan.due(true, start + 400ms));
  EXPECT_EQ(plan.next(), start + 400ms);
  begin({}, 400ms);
  EXPECT_TRUE(plan.due(true, start + 400ms));
}

}  // namespace
}  // namespace rowrunner
