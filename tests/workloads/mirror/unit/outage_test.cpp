#include "workloads/mirror/outage.hpp"

#include <gtest/gtest.h>

#include "workloads/mirror/redis_connection.hpp"

namespace rowrunner::mirror {
namespace {

TEST(outage, waits_longer_each_time_up_to_a_limit) {
  outage trouble;
  EXPECT_FALSE(trouble.wait());
  trouble.failed("away");
  EXPECT_EQ(trouble.wait(), outage::first_wait);
  trouble.failed("away");
  EXPECT_EQ(trouble.wait(), outage::first_wait * 2);
  for (int i = 0; i < 20; ++i) trouble.failed("away");
  EXPECT_EQ(trouble.wait(), outage::longest_wait);
  trouble.worked();
  EXPECT_FALSE(trouble.wait());
  trouble.failed("away");
  EXPECT_EQ(trouble.wait(), outage::first_wait);
}

TEST(outage, the_same_trouble_is_told_once_and_its_end_once) {
  outage trouble;
  EXPECT_FALSE(trouble.worked()) << "there was none";
  EXPECT_TRUE(trouble.failed("away"));
  EXPECT_FALSE(trouble.failed("away"));
  EXPECT_TRUE(trouble.failed("full")) << "another reason";
  EXPECT_TRUE(trouble.worked());
  EXPECT_FALSE(trouble.worked());
  EXPECT_TRUE(trouble.failed("full"));
}

TEST(redis_errors, about_redis_and_about_a_command) {
  EXPECT_TRUE(is_about_redis("OOM command not allowed when used memory > 'maxmemory'."));
  EXPECT_TRUE(is_about_redis("NOAUTH Authentication required."));
  EXPECT_TRUE(is_about_redis("ERR Error running script: -OOM command not allowed"));
  EXPECT_TRUE(is_about_redis("READONLY You can't write against a read only replica."));
  EXPECT_FALSE(is_about_redis("WRONGTYPE Operation against a key holding the wrong kind of value"));
  EXPECT_FALSE(is_about_redis(""));
}

}  // namespace
}  // namespace rowrunner::mirror
