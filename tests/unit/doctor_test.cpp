#include "admin/doctor.hpp"

#include <gtest/gtest.h>

namespace rowrunner::admin {
namespace {

TEST(clock_difference, is_none_if_the_answer_may_be_from_between_the_two_moments) {
  EXPECT_EQ(clock_difference(100, 100, 100), 0);
  EXPECT_EQ(clock_difference(100, 104, 110), 0);
}

TEST(clock_difference, is_the_least_that_must_be_wrong) {
  EXPECT_EQ(clock_difference(100, 97, 110), -3);
  EXPECT_EQ(clock_difference(100, 115, 110), 5);
}

}  // namespace
}  // namespace rowrunner::admin
