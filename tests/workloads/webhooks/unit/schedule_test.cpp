#include "workloads/webhooks/schedule.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "common/errors.hpp"

namespace rowrunner::webhooks {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

TEST(webhook_schedule, ten_tries_last_75_hours) {
  const auto waits = retry_schedule::recommended().waits;
  EXPECT_EQ(waits.size() + 1, 10u);
  const auto total = std::accumulate(waits.begin(), waits.end(), milliseconds(0));
  EXPECT_GT(total, 75h);
  EXPECT_LT(total, 76h);
}

TEST(webhook_schedule, the_last_wait_holds_for_all_further_tries) {
  const retry_schedule schedule{{1s, 10s}, 0};
  EXPECT_EQ(wait_after(schedule, 1, {}, 0), 1s);
  EXPECT_EQ(wait_after(schedule, 2, {}, 0), 10s);
  EXPECT_EQ(wait_after(schedule, 9, {}, 0), 10s);
  EXPECT_EQ(wait_after(schedule, 0, {}, 0), 1s);
  EXPECT_EQ(wait_after(retry_schedule{{}, 0}, 1, {}, 0), 0s);
}

TEST(webhook_schedule, a_receiver_is_never_asked_sooner_than_it_says) {
  const retry_schedule schedule{{10s}, 0.2};
  for (const double random : {0.0, 0.5, 0.999}) {
    EXPECT_GE(wait_after(schedule, 1, 3s, random), 10s);
    EXPECT_GE(wait_after(schedule, 1, 60s, random), 60s);
    EXPECT_LE(wait_after(schedule, 1, 60s, random), 72s);
  }
}

TEST(webhook_schedule, a_receiver_cannot_ask_for_a_year) {
  const retry_schedule schedule{{10s}, 0};
  EXPECT_EQ(wait_after(schedule, 1, 24h * 365, 0), longest_retry_after);
}

TEST(webhook_schedule, jitter_lengthens_a_wait) {
  const retry_schedule schedule{{10s}, 0.2};
  EXPECT_EQ(wait_after(schedule, 1, {}, 0), 10s);
  EXPECT_EQ(wait_after(schedule, 1, {}, 0.5), 11s);
}

TEST(webhook_schedule, is_read_from_a_setting) {
  EXPECT_EQ(parse_schedule("50ms, 5s,1.5m,2h,1d", "W").waits,
            (std::vector<milliseconds>{50ms, 5s, 90s, 2h, 24h}));
  for (const char* bad : {"", "5", "s", "5s,", ",5s", "-1s", "5 parsecs", "nans", "40d", "infs"}) {
    EXPECT_THROW(parse_schedule(bad, "W"), usage_error) << bad;
  }
}

}  // namespace
}  // namespace rowrunner::webhooks
