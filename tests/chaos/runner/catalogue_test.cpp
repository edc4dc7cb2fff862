#include "chaos/runner/catalogue.hpp"

#include <gtest/gtest.h>

#include <set>

namespace rowrunner::chaos {
namespace {

using namespace std::chrono_literals;

TEST(deck, deals_every_fault_before_any_comes_again) {
  deck cards(7, {});
  std::set<std::string_view> dealt;
  for (std::size_t i = 0; i < all_faults().size(); ++i) {
    EXPECT_TRUE(dealt.insert(cards.deal(24h)->name).second);
  }
  EXPECT_NE(cards.deal(24h), nullptr);
}

TEST(deck, opens_with_what_takes_long_and_deals_by_seed_after_that) {
  deck one(1, {}), same(1, {}), other(2, {});
  EXPECT_EQ(one.deal(24h)->name, "zombie");
  EXPECT_EQ(one.deal(24h)->name, "half-open");
  same.deal(24h), same.deal(24h), other.deal(24h), other.deal(24h);
  std::string dealt_one, dealt_same, dealt_other;
  for (int i = 0; i < 20; ++i) {
    dealt_one += one.deal(24h)->name;
    dealt_same += same.deal(24h)->name;
    dealt_other += other.deal(24h)->name;
  }
  EXPECT_EQ(dealt_one, dealt_same);
  EXPECT_NE(dealt_one, dealt_other);
}

TEST(deck, deals_nothing_that_does_not_fit_into_the_time_left) {
  deck cards(7, {"zombie", "kill"});
  for (int i = 0; i < 20; ++i) EXPECT_EQ(cards.deal(5s)->name, "kill");
  deck long_ones(7, {"zombie"});
  EXPECT_EQ(long_ones.deal(5s), nullptr);
  EXPECT_EQ(long_ones.deal(1min)->name, "zombie");
}

TEST(deck, an_unknown_fault_is_refused) {
  EXPECT_THROW(deck(1, {"earthquake"}), std::invalid_argument);
}

TEST(catalogue, names_are_unique) {
  std::set<std::string_view> names;
  for (const auto& each : all_faults()) EXPECT_TRUE(names.insert(each.name).second) << each.name;
}

}  // namespace
}  // namespace rowrunner::chaos
