#include "workloads/limits/slots.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "workloads/limits/concurrency.hpp"

namespace rowrunner::limits {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(limit_slots, are_shared_by_what_is_wanted) {
  EXPECT_THAT(fair_shares(10, {20, 20}, 0), ElementsAre(5, 5));
  EXPECT_THAT(fair_shares(10, {2, 20}, 0), ElementsAre(2, 8));
  EXPECT_THAT(fair_shares(10, {2, 3}, 0), ElementsAre(2, 3));
  EXPECT_THAT(fair_shares(0, {2, 3}, 0), ElementsAre(0, 0));
  EXPECT_THAT(fair_shares(5, {}, 7), ElementsAre());
}

TEST(limit_slots, that_do_not_divide_go_round) {
  const std::vector<int> wants(30, 5);
  std::vector<int> sum(30, 0);
  std::int64_t turn = 0;
  for (int second = 0; second < 3; ++second) {
    const auto given = fair_shares(10, wants, turn);
    EXPECT_EQ(std::accumulate(given.begin(), given.end(), 0), 10);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += given[i];
    turn += 10;
  }
  EXPECT_THAT(sum, Each(1));
}

TEST(limit_slots, of_a_fleet_come_at_equal_distances) {
  std::vector<instant> all;
  for (int position = 0; position < 5; ++position) {
    const slots of(2, position, 5);
    for (int n = 0; n < of.count(); ++n) all.push_back(of.offset(n));
  }
  std::sort(all.begin(), all.end());
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_NEAR(in_seconds(all[i] - all[i - 1]), 0.096, 1e-5);
  }
  EXPECT_LT(all.back(), instant(1'000'000));
}

TEST(limit_slots, are_due_from_their_time_on) {
  const slots of(4, 1, 3);
  EXPECT_EQ(of.due(instant(-1)), 0);
  for (int n = 0; n < of.count(); ++n) {
    EXPECT_EQ(of.due(of.offset(n) - instant(10)), n);
    EXPECT_EQ(of.due(of.offset(n) + instant(10)), n + 1);
  }
  EXPECT_EQ(of.due(instant(5'000'000)), 4);
  EXPECT_EQ(slots().due(instant(500'000)), 0);
}

TEST(limit_concurrency, what_is_given_up_is_handed_out_when_it_has_ended) {
  // The first has all; the second comes.
  const auto first = split_concurrency(10, {{20, 10, 10}, {20, 0, 0}}, 0);
  EXPECT_THAT(first, ElementsAre(5, 0));
  // Seven of its calls have not ended.
  const auto second = split_concurrency(10, {{20, 7, 5}, {20, 0, 0}}, 0);
  EXPECT_THAT(second, ElementsAre(5, 3));
  EXPECT_THAT(split_concurrency(10, {{20, 5, 5}, {20, 3, 3}}, 0), ElementsAre(5, 5));
}

TEST(limit_concurrency, is_never_exceeded_whatever_is_wanted) {
  for (int seed = 0; seed < 200; ++seed) {
    std::vector<concurrency_claim> claims(7);
    int had = 20;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      const int part = std::min(had, (seed * 7 + static_cast<int>(i) * 5) % 9);
      had -= part;
      claims[i] = {(seed + static_cast<int>(i) * 3) % 8, part / 2, part};
    }
    const auto shares = split_concurrency(20, claims, seed);
    int most = 0;
    for (std::size_t i = 0; i < claims.size(); ++i) most += std::max(shares[i], claims[i].had);
    EXPECT_LE(most, 20) << seed;
  }
}

}  // namespace
}  // namespace rowrunner::limits
