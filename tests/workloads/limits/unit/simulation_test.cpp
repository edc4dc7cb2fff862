// The production decisions over hours of virtual time: a fleet, a service with a token bucket, a
// table of plans.
#include "simulator/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace rowrunner::limits::testing {
namespace {

constexpr int seeds = 20;

double changing(double t) { return t < 100 ? 100.0 : t < 200 ? 50.0 : 150.0; }

class fleets : public ::testing::TestWithParam<int> {
 protected:
  scenario fleet(int seed, bool headers) const {
    scenario of;
    of.replicas = GetParam();
    of.seed = static_cast<std::uint64_t>(seed);
    of.headers = headers;
    return of;
  }
};

TEST_P(fleets, find_a_limit_that_is_not_told) {
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto seen = simulate(fleet(seed, false));
    EXPECT_LE(seen.rejected_share(), 0.015) << "seed " << seed;
    EXPECT_GE(seen.use(), 0.90) << "seed " << seed;
    EXPECT_LE(seen.reached(), 15) << "seed " << seed;
    EXPECT_LE(seen.most_statements, 3) << "seed " << seed;
  }
}

TEST_P(fleets, follow_a_limit_that_headers_tell) {
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto seen = simulate(fleet(seed, true));
    EXPECT_LE(seen.rejected_share(), 0.001) << "seed " << seed;
    EXPECT_GE(seen.use(), 0.95) << "seed " << seed;
    EXPECT_LE(seen.reached(), 15) << "seed " << seed;
    EXPECT_LE(seen.most_statements, 3) << "seed " << seed;
  }
}

TEST_P(fleets, are_not_misled_by_resets_in_whole_seconds) {
  for (int seed = 1; seed <= 5; ++seed) {
    auto of = fleet(seed, true);
    of.coarse = true;
    const auto seen = simulate(of);
    EXPECT_LE(seen.rejected_share(), 0.015) << "seed " << seed;
    EXPECT_GE(seen.use(), 0.95) << "seed " << seed;
  }
}

TEST_P(fleets, follow_a_limit_that_changes_and_is_told) {
  for (int seed = 1; seed <= seeds; ++seed) {
    auto of = fleet(seed, true);
    of.rate = changing;
    of.burst = 100;
    const auto seen = simulate(of);
    EXPECT_LE(seen.rejected_share(), 0.001) << "seed " << seed;
    EXPECT_GE(seen.use(), 0.95) << "seed " << seed;
    EXPECT_LE(seen.reached(), 15) << "seed " << seed;
  }
}

/// docs/limits.md says why a single seed may use less than nine tenths of it.
TEST_P(fleets, follow_a_limit_that_changes_and_is_not_told) {
  double use = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    auto of = fleet(seed, false);
    of.rate = changing;
    of.burst = 100;
    const auto seen = simulate(of);
    EXPECT_LE(seen.rejected_share(), 0.015) << "seed " << seed;
    EXPECT_GE(seen.use(), 0.85) << "seed " << seed;
    EXPECT_LE(seen.reached(), 17) << "seed " << seed;
    use += seen.use() / seeds;
  }
  EXPECT_GE(use, 0.90);
}

TEST_P(fleets, keep_to_a_quota_that_was_configured) {
  for (int seed = 1; seed <= 5; ++seed) {
    auto of = fleet(seed, false);
    of.known.requests_per_minute = 600;
    const auto seen = simulate(of);
    EXPECT_LE(seen.rejected_share(), 0.001) << "seed " << seed;
    EXPECT_GE(seen.use(), 0.95) << "seed " << seed;
    EXPECT_LE(seen.reached(), 5) << "seed " << seed;
  }
}

/// Calls between the time at which all replicas know of the first block and its end. The block
/// begins with the answer, a tenth of a second after its call.
int sent_too_early(const outcome& seen, double wait, double known_after) {
  const auto from = *seen.first_block + seconds_from(0.1 + known_after);
  const auto to = *seen.first_block + seconds_from(0.1 + wait) - std::chrono::milliseconds(10);
  return static_cast<int>(std::count_if(seen.sent.begin(), seen.sent.end(),
                                        [&](instant at) { return at > from && at < to; }));
}

TEST_P(fleets, send_nothing_before_a_retry_after_is_over) {
  for (const double wait : {1.0, 2.0, 3.0, 7.0, 60.0, 600.0, 3'600.0}) {
    for (const double lost : {0.0, 0.01}) {
      if (wait > 600 && lost == 0) continue;
      for (int seed = 1; seed <= (wait > 60 ? 1 : 5); ++seed) {
        auto of = fleet(seed, false);
        of.retry_after = wait;
        of.lost = lost;
        of.seconds = 60 + wait;
        const auto seen = simulate(of);
        ASSERT_TRUE(seen.first_block);
        // Without losses a second is enough, so that the shortest waits are seen as well.
        EXPECT_EQ(sent_too_early(seen, wait, lost > 0 ? 2 : 0.8), 0) << wait << " seed " << seed;
        const auto end = *seen.first_block + seconds_from(wait);
        EXPECT_GT(*std::max_element(seen.sent.begin(), seen.sent.end()), end) << wait;
      }
    }
  }
}

TEST_P(fleets, that_change_keep_the_bars) {
  for (int seed = 1; seed <= 5; ++seed) {
    auto of = fleet(seed, false);
    // A third comes late, another third is killed.
    of.lifetime = [](int n) {
      if (n % 3 == 1) return std::pair(60.0 + 3 * n, 1e9);
      if (n % 3 == 2) return std::pair(0.0, 150.0 + 2 * n);
      return std::pair(0.0, 1e9);
    };
    const auto seen = simulate(of);
    EXPECT_LE(seen.rejected_share(), 0.02) << "seed " << seed;
    EXPECT_GE(seen.use(), 0.88) << "seed " << seed;
  }
}

TEST_P(fleets, with_wrong_clocks_and_lost_statements_keep_the_bars) {
  for (int seed = 1; seed <= 5; ++seed) {
    auto of = fleet(seed, false);
    of.skew = 3'600;
    of.drift = 100e-6;
    of.lost = 0.01;
    of.database_delay = 0.01;
    const auto seen = simulate(of);
    EXPECT_LE(seen.rejected_share(), 0.02) << "seed " << seed;
    EXPECT_GE(seen.use(), 0.88) << "seed " << seed;
    EXPECT_LE(seen.most_statements, 3) << "seed " << seed;
  }
}

TEST_P(fleets, use_up_their_second_when_the_database_is_away_and_go_on_when_it_is_back) {
  auto of = fleet(2, false);
  of.outages = {{100, 130}};
  const auto seen = simulate(of);
  for (std::size_t i = 103; i < 130; ++i) EXPECT_EQ(seen.seconds[i].sent, 0) << i;
  EXPECT_GE(seen.use(135, 300), 0.9);
  EXPECT_LE(seen.rejected_share(), 0.02);
}

TEST_P(fleets, keep_to_a_limit_of_tokens_though_calls_cost_more_or_less_than_expected) {
  auto of = fleet(4, false);
  of.rate = [](double) { return 1'000.0; };
  of.burst = 1'000;
  of.tokens_per_call = 1'000;
  of.known.requests_per_minute = 6'000;
  of.known.tokens_per_minute = 300'000;
  const auto seen = simulate(of);
  EXPECT_NEAR(seen.tokens / of.seconds * 60, 300'000, 15'000);
}

TEST_P(fleets, never_have_more_calls_under_way_than_configured) {
  auto of = fleet(5, false);
  of.rate = [](double) { return 1'000.0; };
  of.burst = 1'000;
  of.known.requests_per_minute = 60'000;
  of.known.concurrency = 40;
  of.seconds = 100;
  const auto seen = simulate(of);
  EXPECT_LE(seen.most_in_flight, 40);
  // Little's law: 40 calls of 2.2 seconds are 18 a second.
  EXPECT_GE(seen.total_sent(), 100 * 18 * 8 / 10);
}

INSTANTIATE_TEST_SUITE_P(limit_simulation, fleets, ::testing::Values(10, 30));

}  // namespace
}  // namespace rowrunner::limits::testing
