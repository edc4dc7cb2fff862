#include "workloads/limits/gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rowrunner::limits {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr epoch at = 1'000;

plan plan_with(epoch when, int own_slots) {
  plan all;
  all.at = when;
  all.rate.rate = own_slots;
  if (own_slots >= 0) all.shares = {{"me", own_slots, {}}};
  return all;
}

answer_facts status(int number) {
  answer_facts out;
  out.status = number;
  return out;
}

TEST(limit_gate, sends_nothing_without_a_plan_and_says_why) {
  gate of("me", {});
  of.set_waiting(1);
  EXPECT_FALSE(of.take(start_of(at) + 500ms, 0));
  EXPECT_FALSE(of.next_chance(start_of(at) + 500ms));
  EXPECT_THAT(of.why(start_of(at) + 500ms), HasSubstr("no plan"));
}

TEST(limit_gate, sends_nothing_when_it_is_absent_from_the_plan) {
  gate of("me", {});
  of.set_waiting(1);
  of.adopt(plan_with(at, -1));
  EXPECT_FALSE(of.take(start_of(at) + 900ms, 0));
  EXPECT_THAT(of.why(start_of(at) + 900ms), HasSubstr("not yet in the plan"));
}

TEST(limit_gate, uses_up_the_second_that_it_has_and_no_other) {
  gate of("me", {});
  of.adopt(plan_with(at, 4));
  int taken = 0;
  for (auto now = start_of(at); now < start_of(at + 3); now += 10ms) {
    while (of.take(now, 0)) ++taken;
  }
  EXPECT_EQ(taken, 4);
}

TEST(limit_gate, the_first_plan_of_a_second_is_the_one_that_counts) {
  gate of("me", {});
  of.adopt(plan_with(at, 1));
  of.adopt(plan_with(at, 9));
  EXPECT_TRUE(of.take(start_of(at) + 990ms, 0));
  EXPECT_FALSE(of.take(start_of(at) + 990ms, 0));
}

TEST(limit_gate, a_retry_after_blocks_until_it_is_over_and_is_to_be_stored) {
  gate of("me", {});
  of.adopt(plan_with(at, 4));
  const auto now = start_of(at) + 500ms;
  const auto ticket = of.take(now, 0);
  ASSERT_TRUE(ticket);
  auto busy = status(429);
  busy.retry_after = 30s;
  of.answer(*ticket, busy, now + 100ms);
  EXPECT_EQ(of.block_to_store(), now + 100ms + 30s);
  of.adopt(plan_with(at + 1, 4));
  EXPECT_FALSE(of.take(start_of(at + 1) + 900ms, 0));
  EXPECT_EQ(of.next_chance(start_of(at + 1)), now + 100ms + 30s);
  of.stored(now + 100ms + 30s);
  EXPECT_FALSE(of.block_to_store());
  of.adopt(plan_with(at + 31, 4));
  EXPECT_TRUE(of.take(start_of(at + 31) + 900ms, 0));
}

TEST(limit_gate, after_a_429_every_other_slot_is_left_out_until_a_plan_knows_of_it) {
  gate of("me", {});
  of.adopt(plan_with(at, 8));
  const auto ticket = of.take(start_of(at) + 500ms, 0);
  of.answer(*ticket, status(429), start_of(at) + 700ms);
  of.adopt(plan_with(at + 1, 8));
  int taken = 0;
  while (of.take(start_of(at + 1) + 990ms, 0)) ++taken;
  EXPECT_EQ(taken, 4);
  auto knows = plan_with(at + 2, 8);
  knows.rate.cut = at + 2;
  of.adopt(knows);
  while (of.take(start_of(at + 2) + 990ms, 0)) ++taken;
  EXPECT_EQ(taken, 12);
}

TEST(limit_gate, reports_what_it_sent_by_the_second_in_which_it_was_sent) {
  gate of("me", {});
  of.set_waiting(5);
  of.adopt(plan_with(at, 2));
  const auto first = of.take(start_of(at) + 980ms, 100);
  const auto second = of.take(start_of(at) + 980ms, 100);
  auto fine = status(200);
  fine.tokens_used = 150;
  of.answer(*first, status(429), start_of(at + 1) + 100ms);
  of.answer(*second, fine, start_of(at + 1) + 200ms);
  const auto said = of.report(start_of(at + 1) + 600ms);
  ASSERT_EQ(said.counts.size(), 2U);
  EXPECT_EQ(said.counts[0].sent, 2);
  EXPECT_EQ(said.counts[0].rejected, 1);
  EXPECT_EQ(said.counts[0].tokens, 200);
  EXPECT_EQ(said.counts[1].tokens, 50);
  EXPECT_EQ(said.in_flight, 0);
  EXPECT_GE(said.want, 5);
}

TEST(limit_gate, an_answer_counts_once) {
  gate of("me", {});
  of.adopt(plan_with(at, 2));
  const auto ticket = of.take(start_of(at) + 980ms, 0);
  of.answer(*ticket, status(0), start_of(at) + 990ms);
  of.answer(*ticket, status(429), start_of(at) + 991ms);
  EXPECT_EQ(of.in_flight(), 0);
  EXPECT_EQ(of.report(start_of(at) + 992ms).counts.at(0).rejected, 0);
}

TEST(limit_gate, waits_for_the_calls_that_are_under_way) {
  quota known;
  known.concurrency = 1;
  gate of("me", known);
  of.set_waiting(1);
  of.adopt(plan_with(at, 5));
  const auto now = start_of(at) + 900ms;
  const auto ticket = of.take(now, 0);
  EXPECT_FALSE(of.take(now, 0));
  EXPECT_THAT(of.why(now), HasSubstr("under way"));
  of.answer(*ticket, status(200), now);
  EXPECT_TRUE(of.take(now, 0));
}

}  // namespace
}  // namespace rowrunner::limits
