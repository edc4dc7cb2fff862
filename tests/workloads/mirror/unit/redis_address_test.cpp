#include "workloads/mirror/redis_address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/errors.hpp"

namespace rowrunner::mirror {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string shown(const std::string& url) {
  const auto made = parse_redis_url(url);
  return made.user + "|" + made.password + "|" + made.shown();
}

std::string refusal(const std::string& url) {
  try {
    return "accepted as " + shown(url);
  } catch (const usage_error& error) {
    return error.what();
  }
}

environment settings(std::map<std::string, std::string> variables) {
  return environment(std::move(variables));
}

TEST(redis_address, of_a_url) {
  EXPECT_EQ(shown("redis://cache"), "||cache:6379/0");
  EXPECT_EQ(shown("redis://:s%40cret@cache:6380/2"), "|s@cret|cache:6380/2");
  EXPECT_EQ(shown("redis://ann:secret@cache/"), "ann|secret|cache:6379/0");
  EXPECT_EQ(shown("redis://secret@cache"), "|secret|cache:6379/0");
  EXPECT_EQ(shown("redis://[::1]:7000"), "||[::1]:7000/0");
}

TEST(redis_address, a_wrong_url_is_refused_without_its_password) {
  for (const std::string url :
       {"cache:6379", "redis://", "http://:secret@cache", "redis://:secret@cache/two",
        "redis://:secret@cache:99999", "redis://:sec ret@cache", "redis://:secret@cache/-1"}) {
    EXPECT_THAT(refusal(url), HasSubstr("REDIS_URL")) << url;
    EXPECT_THAT(refusal(url), Not(HasSubstr("secret"))) << url;
  }
  EXPECT_THAT(refusal("rediss://:secret@cache"), HasSubstr("without TLS only"));
}

TEST(redis_address, of_variables) {
  EXPECT_FALSE(configured_redis(settings({{"REDIS_PORT", "1"}})));
  EXPECT_EQ(configured_redis(settings({{"REDIS_HOST", "cache"}}))->shown(), "cache:6379/0");
  EXPECT_EQ(
      configured_redis(settings({{"REDIS_HOST", "cache"}, {"REDIS_PORT", "7"}, {"REDIS_DB", "3"}}))
          ->shown(),
      "cache:7/3");
  EXPECT_EQ(configured_redis(settings({{"REDIS_HOST", "a"}, {"REDIS_URL", "redis://b"}}))->host,
            "b");
  EXPECT_THROW(configured_redis(settings({{"REDIS_HOST", "a"}, {"REDIS_PORT", "0"}})), usage_error);
  EXPECT_THROW(configured_redis(settings({{"REDIS_HOST", "a"}, {"REDIS_DB", "-1"}})), usage_error);
}

}  // namespace
}  // namespace rowrunner::mirror
