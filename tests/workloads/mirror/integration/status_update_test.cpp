#include "workloads/mirror/status_update.hpp"

#include <gtest/gtest.h>

#include "workloads/mirror/support/redis_server.hpp"

namespace rowrunner::testing {
namespace {

using mirror::set_list;
using mirror::set_status;
using mirror::version;

class status_update : public ::testing::Test {
 protected:
  std::int64_t set(const version& seen, const std::string& value) {
    return redis_.ask(set_status("job:1", seen, value)).number;
  }
  std::string value() { return redis_.text({"GET", "job:1"}); }

  redis_server redis_;
};

TEST_F(status_update, an_older_state_never_overwrites_a_newer_one) {
  EXPECT_EQ(set({"9", 1, 100}, "new"), 1);
  EXPECT_EQ(set({"9", 1, 99}, "old"), 0);
  EXPECT_EQ(value(), "new");
  EXPECT_EQ(set({"9", 1, 100}, "the same again"), 1);
  EXPECT_EQ(set({"9", 1, 1000}, "newest"), 1) << "numbers are compared, not texts";
  EXPECT_EQ(value(), "newest");
  EXPECT_EQ(set({"9", 1, 1ll << 52}, "far"), 1);
  EXPECT_EQ(set({"9", 1, (1ll << 52) - 1}, "far and old"), 0);
}

TEST_F(status_update, a_promoted_standby_and_another_server_count_from_anew) {
  set({"9", 1, 100}, "primary");
  EXPECT_EQ(set({"9", 2, 50}, "standby"), 1) << "a later timeline";
  EXPECT_EQ(set({"9", 1, 200}, "the old primary"), 0);
  EXPECT_EQ(set({"8", 1, 3}, "restored elsewhere"), 1);
  EXPECT_EQ(value(), "restored elsewhere");
}

TEST_F(status_update, a_removed_state_does_not_come_back) {
  set({"9", 1, 100}, "here");
  EXPECT_EQ(set({"9", 1, 101}, ""), 1);
  EXPECT_EQ(redis_.ask({"EXISTS", "job:1"}).number, 0);
  EXPECT_EQ(set({"9", 1, 100}, "here"), 0);
  EXPECT_EQ(redis_.ask({"EXISTS", "job:1"}).number, 0);
}

TEST_F(status_update, the_time_to_live_is_renewed) {
  set({"9", 1, 100}, "a");
  EXPECT_EQ(redis_.ask({"TTL", "job:1"}).number, 86'400);
  redis_.ask({"EXPIRE", "job:1", "10"});
  set({"9", 1, 101}, "b");
  EXPECT_EQ(redis_.ask({"TTL", "job:1"}).number, 86'400);
  EXPECT_EQ(redis_.ask({"TTL", mirror::version_key("job:1")}).number, 86'400);
  redis_.ask({"EXPIRE", "job:1", "10"});
  set({"9", 1, 99}, "refused");
  EXPECT_LE(redis_.ask({"TTL", "job:1"}).number, 10) << "a state that is refused renews nothing";
}

TEST_F(status_update, lists_of_any_length) {
  std::vector<std::string> items;
  for (int i = 0; i < 10'000; ++i) items.push_back("job-" + std::to_string(i));
  EXPECT_EQ(redis_.ask(set_list("queue", {"9", 1, 5}, items)).number, 1);
  EXPECT_EQ(redis_.ask({"LLEN", "queue"}).number, 10'000);
  EXPECT_EQ(redis_.text({"LINDEX", "queue", "9999"}), "job-9999");
  EXPECT_EQ(redis_.ask(set_list("queue", {"9", 1, 4}, {"old"})).number, 0);
  EXPECT_EQ(redis_.ask(set_list("queue", {"9", 1, 6}, {"b", "a"})).number, 1);
  EXPECT_EQ(redis_.list("queue"), "b a");
  EXPECT_EQ(redis_.ask(set_list("queue", {"9", 1, 7}, {})).number, 1);
  EXPECT_EQ(redis_.ask({"EXISTS", "queue"}).number, 0);
}

TEST_F(status_update, a_key_that_something_else_uses) {
  redis_.ask({"HSET", "job:1", "field", "x"});
  EXPECT_EQ(set({"9", 1, 1}, "status"), 1);
  EXPECT_EQ(value(), "status");
  redis_.ask({"DEL", mirror::version_key("job:1")});
  redis_.ask({"RPUSH", mirror::version_key("job:1"), "x"});
  EXPECT_NE(redis_.ask(set_status("job:1", {"9", 1, 2}, "later")).error, "");
  EXPECT_EQ(value(), "status");
}

}  // namespace
}  // namespace rowrunner::testing
