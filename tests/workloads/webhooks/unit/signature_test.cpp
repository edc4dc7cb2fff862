#include "workloads/webhooks/signature.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/errors.hpp"

namespace rowrunner::webhooks {
namespace {

// The example of the Standard Webhooks specification's libraries.
constexpr const char* secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr const char* two_secrets =
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw 0123456789abcdef0123456789abcdef";
constexpr const char* same_twice =
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw, whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr const char* id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
constexpr const char* timestamp = "1614265330";
constexpr const char* body = R"({"test": 2432232314})";
constexpr const char* expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

TEST(webhook_signature, is_that_of_the_standard) {
  EXPECT_EQ(signature(parse_keys(secret, "S"), id, timestamp, body), expected);
}

TEST(webhook_signature, has_one_part_for_each_key) {
  const auto keys = parse_keys(two_secrets, "S");
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[1], "0123456789abcdef0123456789abcdef");
  EXPECT_THAT(signature(keys, id, timestamp, body),
              ::testing::StartsWith("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1,"));
  EXPECT_EQ(parse_keys(same_twice, "S").size(), 2u);
}

TEST(webhook_signature, keys_that_are_none_are_refused_and_not_quoted) {
  for (const char* bad :
       {"whsec_not base64!", "whsec_####", "short-secret", "whsec_c2hvcnQ=",
        "0123456789012345678901234567890123456789012345678901234567890123456789"}) {
    try {
      parse_keys(bad, "WEBHOOK_SECRET");
      ADD_FAILURE() << bad;
    } catch (const usage_error& error) {
      EXPECT_THAT(error.what(), ::testing::StartsWith("WEBHOOK_SECRET: "));
      EXPECT_THAT(error.what(), ::testing::Not(::testing::HasSubstr("short-secret")));
    }
  }
  EXPECT_TRUE(parse_keys(" ,", "S").empty());
}

TEST(webhook_signature, the_time_is_in_seconds) {
  EXPECT_EQ(timestamp_text(std::chrono::system_clock::time_point(std::chrono::milliseconds(1999))),
            "1");
}

}  // namespace
}  // namespace rowrunner::webhooks
