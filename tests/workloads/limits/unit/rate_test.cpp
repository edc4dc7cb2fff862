#include "workloads/limits/rate.hpp"

#include <gtest/gtest.h>

namespace rowrunner::limits {
namespace {

rate_facts calm_second(epoch at, double sent) {
  rate_facts facts;
  facts.at = at;
  facts.wanted = true;
  facts.fleet = {{at - 2, sent, 0}, {at - 1, sent * 0.6, 0}};
  return facts;
}

/// So many seconds in which the service takes all that is sent.
rate_state after_calm(rate_state now, epoch& at, int seconds) {
  for (int i = 0; i < seconds; ++i) now = next_rate(now, calm_second(++at, now.rate));
  return now;
}

TEST(limit_rate, begins_with_the_stated_default_and_grows_until_something_is_rejected) {
  epoch at = 1'000;
  const auto first = initial_rate(at, std::nullopt);
  EXPECT_EQ(first.rate, first_rate);
  EXPECT_GT(after_calm(first, at, 10).rate, 9);
}

TEST(limit_rate, does_not_grow_while_nobody_wants_more) {
  auto facts = calm_second(1'001, 1);
  facts.wanted = false;
  EXPECT_EQ(next_rate(initial_rate(1'000, std::nullopt), facts).rate, first_rate);
}

TEST(limit_rate, begins_with_a_quota_and_never_exceeds_it) {
  epoch at = 1'000;
  auto now = initial_rate(at, 10.0);
  EXPECT_NEAR(now.rate, 9.7, 0.3);
  for (int i = 0; i < 100; ++i) {
    auto facts = calm_second(++at, now.rate);
    facts.quota = 10;
    now = next_rate(now, facts);
    EXPECT_LE(now.rate, 10);
  }
}

TEST(limit_rate, is_cut_to_what_was_accepted_once_for_what_was_on_its_way) {
  rate_state before = initial_rate(1'000, std::nullopt);
  before.rate = before.before = before.ceiling = 100;
  rate_facts facts;
  facts.at = 1'010;
  facts.wanted = true;
  facts.fleet = {{1'008, 100, 50}, {1'009, 60, 30}};
  const auto cut = next_rate(before, facts);
  EXPECT_NEAR(cut.rate, 45, 3);
  EXPECT_EQ(cut.cut, 1'010);
  // The rest of that second was still sent at the old rate.
  facts.at = 1'011;
  facts.fleet = {{1'008, 100, 50}, {1'009, 100, 50}, {1'010, 20, 0}};
  EXPECT_GE(next_rate(cut, facts).rate, cut.rate);
  facts.at = 1'012;
  facts.fleet = {{1'009, 100, 50}, {1'010, 40, 10}, {1'011, 20, 0}};
  EXPECT_LT(next_rate(cut, facts).rate, cut.rate);
}

TEST(limit_rate, goes_down_to_one_a_minute_when_everything_is_rejected) {
  auto now = initial_rate(1'000, std::nullopt);
  for (epoch at = 1'001; at < 1'040; ++at) {
    rate_facts facts;
    facts.at = at;
    facts.wanted = true;
    facts.fleet = {{at - 1, 1, 1}};
    now = next_rate(now, facts);
  }
  EXPECT_DOUBLE_EQ(now.rate, lowest_rate);
}

TEST(limit_rate, probes_above_the_ceiling_when_calm_and_finds_a_limit_that_was_raised) {
  epoch at = 1'000;
  auto now = initial_rate(at, std::nullopt);
  now.rate = now.ceiling = 50;
  now = after_calm(now, at, 60);
  EXPECT_GT(now.rate, 150);
}

TEST(limit_rate, follows_headers_that_are_fresh) {
  auto facts = calm_second(1'002, 1);
  facts.told = limit_estimate{.rate = 40, .at_least = 40, .level = 0.5};
  EXPECT_NEAR(next_rate(initial_rate(1'000, std::nullopt), facts).rate, 39, 1.5);
}

TEST(limit_headers, of_a_bucket_tell_how_fast_it_fills) {
  header_sums seen;
  for (const int used : {20, 35, 50, 41}) {
    seen.add(100, 100 - used, std::chrono::milliseconds(used * 100));
  }
  const auto found = estimate(seen);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->window);
  EXPECT_NEAR(found->rate, 10, 0.3);
}

TEST(limit_headers, of_calls_that_are_spread_tell_a_rate_that_is_too_high_but_do_not_prove_it) {
  // 1.33 calls are used at each answer, and told as 2.
  header_sums seen;
  for (int i = 0; i < 20; ++i) seen.add(10, 8, std::chrono::milliseconds(133));
  const auto found = estimate(seen);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->rate, 15, 0.1);
  EXPECT_LT(found->at_least, 10);
  auto facts = calm_second(1'002, 10);
  facts.told = *found;
  auto now = initial_rate(1'000, std::nullopt);
  now.rate = now.before = now.ceiling = 10;
  EXPECT_LE(next_rate(now, facts).rate, 10.1);
  // What is proven is believed at once.
  facts.told->at_least = 15;
  EXPECT_GT(next_rate(now, facts).rate, 13);
}

TEST(limit_headers, with_short_resets_in_whole_seconds_tell_nothing) {
  header_sums seen;
  for (const int used : {1, 2, 3}) seen.add(10, 10 - used, std::chrono::seconds(1));
  EXPECT_FALSE(estimate(seen));
}

TEST(limit_headers, of_a_window_tell_what_is_left_until_its_end) {
  header_sums seen;
  for (int second = 0; second < 4; ++second) {
    seen.add(600, 100 - 10 * second, std::chrono::seconds(30 - second));
  }
  const auto found = estimate(seen);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->window);
  EXPECT_NEAR(found->rate, 85.0 / 28.5, 0.1);
}

TEST(limit_headers, that_make_no_sense_are_left_out) {
  header_sums seen;
  seen.add(0, 0, std::chrono::seconds(1));
  seen.add(-1, -1, std::chrono::seconds(1));
  seen.add(10, 12, std::chrono::seconds(1));
  seen.add(10, 5, std::chrono::seconds(0));
  EXPECT_FALSE(estimate(seen));
}

}  // namespace
}  // namespace rowrunner::limits
