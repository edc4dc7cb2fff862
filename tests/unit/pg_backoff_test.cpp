#include <gtest/gtest.h>

#include <algorithm>

#include "common/pg/backoff.hpp"

namespace rowrunner::pg {
namespace {

using std::chrono::milliseconds;

TEST(pg_backoff, stays_under_a_ceiling_that_doubles) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937_64 rng(seed);
    backoff pause;
    for (milliseconds ceiling(100); ceiling < milliseconds(20000); ceiling *= 2) {
      const auto chosen = pause.next(rng);
      EXPECT_GE(chosen, milliseconds(50));
      EXPECT_LE(chosen, std::min(ceiling, milliseconds(5000)));
    }
  }
}

TEST(pg_backoff, spreads_over_the_whole_range) {
  milliseconds least(5000);
  milliseconds most(0);
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937_64 rng(seed);
    backoff pause;
    for (int i = 0; i < 10; ++i) pause.next(rng);
    const auto chosen = pause.next(rng);
    least = std::min(least, chosen);
    most = std::max(most, chosen);
  }
  EXPECT_LT(least, milliseconds(500));
  EXPECT_GT(most, milliseconds(4500));
}

TEST(pg_backoff, starts_over_after_reset) {
  std::mt19937_64 rng(1);
  backoff pause;
  for (int i = 0; i < 10; ++i) pause.next(rng);
  pause.reset();
  EXPECT_LE(pause.next(rng), milliseconds(100));
}

}  // namespace
}  // namespace rowrunner::pg
