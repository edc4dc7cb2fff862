#include "workloads/limits/controller.hpp"

#include <gtest/gtest.h>

namespace rowrunner::limits {
namespace {

using namespace std::chrono_literals;

TEST(limit_controller, a_429_takes_three_tenths_and_resets_the_clean_batches) {
  controller of(1'000);
  for (int i = 0; i < controller::batch; ++i) of.succeed(controller::first_limit);
  EXPECT_EQ(of.limit(), controller::first_limit + 1);
  EXPECT_EQ(of.clean_batches(), 1);
  of.reduce(10s, 11s);
  EXPECT_EQ(of.limit(), 179);  // 257 x 0.7
  EXPECT_EQ(of.clean_batches(), 0);
}

TEST(limit_controller, calls_that_were_sent_before_the_cut_do_not_cut_again) {
  controller of(100);
  of.reduce(10s, 11s);
  const int once = of.limit();
  of.reduce(10'500ms, 11'200ms);
  EXPECT_EQ(of.limit(), once);
  of.reduce(11'100ms, 11'300ms);
  EXPECT_LT(of.limit(), once);
}

TEST(limit_controller, never_falls_below_one_nor_rises_above_what_is_known) {
  controller of(3);
  EXPECT_EQ(of.limit(), 3);
  for (int i = 1; i < 20; ++i) of.reduce(std::chrono::seconds(i), std::chrono::seconds(i));
  EXPECT_EQ(of.limit(), 1);
  for (int i = 0; i < 100; ++i) of.succeed(of.limit());
  EXPECT_EQ(of.limit(), 3);
}

TEST(limit_controller, a_limit_that_nobody_reaches_does_not_grow) {
  controller of(1'000);
  for (int i = 0; i < 1'000; ++i) of.succeed(1);
  EXPECT_EQ(of.limit(), controller::first_limit);
}

}  // namespace
}  // namespace rowrunner::limits
