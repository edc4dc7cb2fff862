#include "worker/claim_size.hpp"

#include <gtest/gtest.h>

namespace rowrunner {
namespace {

using namespace std::chrono_literals;
const claim_size::clock::time_point start = claim_size::clock::time_point{} + 1h;

TEST(claim_size, at_first_asks_for_one_job_per_free_slot) {
  const claim_size size;
  EXPECT_EQ(size.wanted(4, 0), 4);
  EXPECT_EQ(size.wanted(0, 0), 0);
}

TEST(claim_size, long_jobs_are_not_hoarded) {
  claim_size size;
  for (int s = 0; s < 100; ++s) size.ended(1, start + s * 1s);
  EXPECT_EQ(size.wanted(1, 0), 1);
  EXPECT_EQ(size.wanted(0, 0), 0);
}

TEST(claim_size, short_jobs_are_claimed_by_the_thousand) {
  claim_size size;
  for (int i = 0; i < 10; ++i) size.ended(1000, start + i * 10ms);
  EXPECT_EQ(size.wanted(10, 0), claim_size::largest);
  EXPECT_GT(size.wanted(0, 500), 0);
}

TEST(claim_size, waits_while_enough_is_here) {
  claim_size size;
  for (int i = 0; i < 10; ++i) size.ended(1000, start + i * 10ms);
  EXPECT_EQ(size.wanted(10, 3000), 0);
}

}  // namespace
}  // namespace rowrunner
