#include <gtest/gtest.h>

#include "admin/kinds.hpp"

namespace rowrunner::admin {
namespace {

TEST(kind_state, is_running_only_if_a_worker_lives) {
  EXPECT_EQ(kind_state(true, 3), "paused");
  EXPECT_EQ(kind_state(false, 0), "no worker");
  EXPECT_EQ(kind_state(false, 1), "running");
}

}  // namespace
}  // namespace rowrunner::admin
