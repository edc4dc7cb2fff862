#include "worker/finish_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/finish_group.hpp"
#include "worker/lane.hpp"

namespace rowrunner {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

const finish_plan::clock::time_point start{1h};
const end_refusal locked{"55P03", "succeed/test", "lock timeout"};

verdict of(lane& lane, ending result, std::string id = "x") {
  auto job = std::make_shared<running_job>();
  job->lane = &lane;
  job->id = std::move(id);
  return {job, std::move(result)};
}

ending with_effect() {
  succeeded end;
  end.effects.push_back({"INSERT", {}});
  return end;
}

/// A batch was refused; one that comes later is of a kind in trouble.
void refuse_one(finish_plan& plan, lane& lane) {
  plan.add(of(lane, succeeded{}));
  for (auto& each : plan.take_new(start)) {
    plan.refused(std::move(each), locked, start);
    plan.put_down(1);
  }
}

TEST(write_steps, an_answer_decides_at_once) {
  EXPECT_EQ(after_write(write_attempt::written), write_step::done);
  EXPECT_EQ(after_write(write_attempt::refused), write_step::retry_later);
}

TEST(write_steps, a_write_without_an_answer_is_never_repeated_unread) {
  EXPECT_EQ(after_write(write_attempt::unreachable), write_step::reread);
  EXPECT_EQ(after_write(write_attempt::uncertain), write_step::reread);
  EXPECT_EQ(after_reread(false, 3), write_step::reread);
  EXPECT_EQ(after_reread(false, 0), write_step::reread);
  EXPECT_EQ(after_reread(true, 3), write_step::write);
  EXPECT_EQ(after_reread(true, 0), write_step::done);
}

TEST(write_steps, only_trouble_of_the_connection_leaves_it_open_what_was_written) {
  EXPECT_EQ(failed_attempt("08006"), write_attempt::unreachable);
  EXPECT_EQ(failed_attempt("57P01"), write_attempt::unreachable);
  EXPECT_EQ(failed_attempt("23514"), write_attempt::refused);
  EXPECT_EQ(failed_attempt("40001"), write_attempt::refused);
  EXPECT_EQ(failed_attempt("55P03"), write_attempt::refused);
}

TEST(finish_plan, waits_until_there_is_something_to_write) {
  lane lane;
  finish_plan plan;
  EXPECT_EQ(plan.wait(start), 1h);
  plan.add(of(lane, succeeded{}));
  EXPECT_EQ(plan.wait(start), std::nullopt);
}

TEST(finish_plan, waits_for_the_next_try_of_what_was_refused) {
  lane lane;
  finish_plan plan;
  refuse_one(plan, lane);
  EXPECT_EQ(plan.wait(start), 1s);
  EXPECT_EQ(plan.wait(start + 1s), std::nullopt);
  EXPECT_THAT(plan.take_refused(start), IsEmpty());
  EXPECT_THAT(plan.take_refused(start + 1s), SizeIs(1));
}

TEST(finish_plan, ends_when_it_is_closed_and_everything_is_dealt_with) {
  lane lane;
  finish_plan plan;
  EXPECT_FALSE(plan.ended());
  plan.add(of(lane, succeeded{}));
  plan.close();
  EXPECT_FALSE(plan.ended());
  plan.take_new(start);
  EXPECT_EQ(plan.pending(), 1U) << "its write is under way";
  plan.put_down(1);
  EXPECT_TRUE(plan.ended());
}

TEST(finish_plan, once_closed_does_not_wait_for_what_was_refused) {
  lane lane;
  finish_plan plan;
  refuse_one(plan, lane);
  plan.close();
  EXPECT_EQ(plan.wait(start), std::nullopt);
}

TEST(finish_plan, gathers_for_two_milliseconds_if_jobs_are_about_to_run) {
  lane lane;
  finish_plan plan;
  EXPECT_FALSE(plan.gathers(true, start, start)) << "there is nothing to write";
  plan.add(of(lane, succeeded{}));
  EXPECT_FALSE(plan.gathers(false, start, start));
  EXPECT_TRUE(plan.gathers(true, start, start + 1999us));
  EXPECT_FALSE(plan.gathers(true, start, start + 2ms));
}

TEST(finish_plan, a_batch_that_is_large_enough_does_not_wait) {
  lane lane;
  finish_plan plan;
  for (std::size_t i = 1; i < finish_plan::small_batch; ++i) plan.add(of(lane, succeeded{}));
  EXPECT_TRUE(plan.gathers(true, start, start));
  plan.add(of(lane, succeeded{}));
  EXPECT_FALSE(plan.gathers(true, start, start));
}

TEST(finish_plan, the_last_outcomes_do_not_wait) {
  lane lane;
  finish_plan plan;
  plan.add(of(lane, succeeded{}));
  plan.close();
  EXPECT_FALSE(plan.gathers(true, start, start));
}

TEST(finish_plan, kinds_share_a_batch_and_effects_take_one_of_their_own) {
  lane a, b;
  finish_plan plan;
  plan.add(of(a, succeeded{}));
  plan.add(of(b, with_effect()));
  plan.add(of(b, failed{"x", {}, false}));
  EXPECT_THAT(plan.take_new(start), ElementsAre(SizeIs(2), SizeIs(1)));
  EXPECT_THAT(plan.take_new(start), IsEmpty());
}

TEST(finish_plan, a_batch_has_a_largest_size) {
  lane lane;
  finish_plan plan;
  for (std::size_t i = 0; i <= finish_plan::largest_batch; ++i) plan.add(of(lane, succeeded{}));
  EXPECT_THAT(plan.take_new(start), ElementsAre(SizeIs(finish_plan::largest_batch)));
  EXPECT_THAT(plan.take_new(start), ElementsAre(SizeIs(1)));
}

TEST(finish_plan, a_kind_in_trouble_does_not_hold_up_the_others) {
  lane a, b;
  finish_plan plan;
  refuse_one(plan, a);
  plan.add(of(a, succeeded{}));
  plan.add(of(a, with_effect()));
  plan.add(of(b, succeeded{}));
  const auto fresh = plan.take_new(start);
  ASSERT_THAT(fresh, ElementsAre(SizeIs(1)));
  EXPECT_EQ(fresh[0][0].job->lane, &b);
  EXPECT_EQ(plan.pending(), 4U);
  EXPECT_THAT(plan.take_refused(start), ElementsAre(SizeIs(1)));
  EXPECT_THAT(plan.take_refused(start), ElementsAre(SizeIs(1)));
}

TEST(finish_plan, after_a_write_the_kind_is_out_of_trouble) {
  lane lane;
  finish_plan plan;
  refuse_one(plan, lane);
  plan.written(plan.take_refused(start + 1s)[0]);
  plan.put_down(1);
  plan.add(of(lane, succeeded{}));
  EXPECT_THAT(plan.take_new(start), SizeIs(1));
}

TEST(finish_groups, each_kind_of_end_has_its_statement) {
  EXPECT_EQ(statement_of(succeeded{}), end_statement::succeed);
  EXPECT_EQ(statement_of(failed{}), end_statement::fail);
  EXPECT_EQ(statement_of(snoozed{1s}), end_statement::release);
  EXPECT_EQ(statement_of(released{}), end_statement::release);
  EXPECT_EQ(statement_of(cancelled{}), end_statement::end_cancelled);
}

TEST(finish_groups, a_batch_is_grouped_by_kind_and_statement) {
  lane a, b;
  std::vector<verdict> batch{of(a, succeeded{}), of(b, succeeded{}), of(a, released{}),
                             of(a, succeeded{}), of(a, snoozed{1s})};
  const auto groups = grouped(batch);
  ASSERT_THAT(groups, SizeIs(3));
  EXPECT_THAT(groups[0].members, SizeIs(2));
  EXPECT_EQ(groups[1].lane, &b);
  EXPECT_THAT(groups[2].members, SizeIs(2));
}

TEST(finish_groups, rows_are_written_by_id_and_released_ones_last_first) {
  lane lane;
  std::vector<verdict> ends{of(lane, succeeded{}, "b"), of(lane, succeeded{}, "a")};
  EXPECT_EQ(grouped(ends)[0].members.front()->job->id, "a");
  std::vector<verdict> back{of(lane, released{}, "a"), of(lane, released{}, "b")};
  back[0].job->position = {0, 1};
  back[1].job->position = {0, 2};
  EXPECT_EQ(grouped(back)[0].members.front()->job->id, "b");
}

}  // namespace
}  // namespace rowrunner
