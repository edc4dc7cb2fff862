#include <gtest/gtest.h>

#include "admin/kinds.hpp"

namespace rowrunner::admin {
namespace {

TEST(kind_state, is_running_only_if_a_worker_lives) {
  EXPECT_EQ(kind_state(true, {3, 0}), "paused");
  EXPECT_EQ(kind_state(false, {0, 0}), "no worker");
  EXPECT_EQ(kind_state(false, {1, 0}), "running");
}

TEST(kind_state, is_running_if_one_of_its_workers_can_claim) {
  EXPECT_EQ(kind_state(false, {2, 1}), "running");
  EXPECT_EQ(kind_state(false, {2, 2}), "claims fail");
  EXPECT_EQ(kind_state(true, {2, 2}), "paused");
}

}  // namespace
}  // namespace rowrunner::admin
