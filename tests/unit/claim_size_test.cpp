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
  for (int s = 0; s < 100; ++s) size.ended(1, 1, start + s * 1s);
  EXPECT_EQ(size.wanted(1, 0), 1);
  EXPECT_EQ(size.wanted(0, 0), 0);
}

TEST(claim_size, short_jobs_are_claimed_by_the_hundred) {
  claim_size size;
  size.filled(500);
  for (int i = 0; i < 10; ++i) size.ended(1000, 10, start + i * 10ms);
  EXPECT_EQ(size.wanted(10, 0), claim_size::largest);
  EXPECT_GT(size.wanted(0, 500), 0);
}

TEST(claim_size, waits_while_enough_is_here) {
  claim_size size;
  size.filled(500);
  for (int i = 0; i < 10; ++i) size.ended(1000, 10, start + i * 10ms);
  EXPECT_EQ(size.wanted(10, 3000), 0);
}

TEST(claim_size, the_time_without_jobs_does_not_count) {
  claim_size size;
  size.filled(500);
  for (int i = 0; i < 10; ++i) {
    size.resumed(start + i * 1h);
    size.ended(10, 1, start + i * 1h + 10ms);
  }
  EXPECT_NEAR(size.wanted(0, 0), 1000 * 0.030, 2);
}

TEST(claim_size, jobs_that_end_together_are_not_taken_for_short_ones) {
  claim_size size;
  size.filled(500);
  size.resumed(start);
  for (int round = 1; round <= 5; ++round) {
    for (int i = 0; i < 200; ++i) size.ended(1, 200, start + round * 100ms + i * 5us);
    EXPECT_LE(size.wanted(0, 0), 2000 * 0.030 + 1) << "in round " << round;
  }
  EXPECT_NEAR(size.wanted(0, 0), 2000 * 0.030, 3);
  EXPECT_NEAR(size.job_time(200) / 1ms, 100, 5);
}

TEST(claim_size, grows_with_the_last_full_claim) {
  claim_size size;
  size.resumed(start);
  size.ended(10, 1, start + 1us);
  EXPECT_EQ(size.wanted(10, 0), 10);
  size.filled(10);
  EXPECT_EQ(size.wanted(10, 0), 50);
}

TEST(claim_size, begins_anew_after_jobs_had_to_wait) {
  claim_size size;
  size.filled(500);
  for (int i = 0; i < 10; ++i) size.ended(1000, 10, start + i * 10ms);
  size.reset_estimate();
  EXPECT_EQ(size.wanted(0, 0), 0);
  EXPECT_EQ(size.wanted(3, 0), 3);
}

}  // namespace
}  // namespace rowrunner
