#include "admin/utc.hpp"

#include <gtest/gtest.h>

namespace rowrunner::admin {
namespace {

TEST(utc, times_end_in_z) {
  EXPECT_EQ(utc_text("2026-01-31T12:00:01.5+00:00"), "2026-01-31T12:00:01.5Z");
  EXPECT_EQ(utc_text("2026-01-31T12:00:01.5+09:00"), "2026-01-31T12:00:01.5+09:00");
  nlohmann::ordered_json job{{"run_at", "2026-01-31T12:00:01+00:00"}, {"locked_at", nullptr}};
  use_z(job);
  EXPECT_EQ(job.dump(), R"({"run_at":"2026-01-31T12:00:01Z","locked_at":null})");
}

}  // namespace
}  // namespace rowrunner::admin
