#include "workloads/webhooks/body.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace rowrunner::webhooks {
namespace {

TEST(webhook_body, the_token_is_its_last_member) {
  EXPECT_EQ(with_token(R"({"b":1, "a":1.10 } )", "token", "t"), R"({"b":1, "a":1.10,"token":"t"})");
  EXPECT_EQ(with_token("{ }", "token", "t"), R"({"token":"t"})");
  EXPECT_EQ(with_token(R"({"a":"}"})", "token", "t"), R"({"a":"}","token":"t"})");
}

TEST(webhook_body, a_token_is_any_text) {
  const std::string odd = "q\"\\\n語\x01";
  const auto body = nlohmann::json::parse(with_token(R"({"a":1})", "to\"ken", odd));
  EXPECT_EQ(body.at("to\"ken"), odd);
}

TEST(webhook_body, a_payload_that_is_no_object_is_refused) {
  EXPECT_THROW(with_token("[]", "token", "t"), std::invalid_argument);
  EXPECT_THROW(with_token("}{", "token", "t"), std::invalid_argument);
}

TEST(webhook_body, what_quotes_the_token_is_masked) {
  EXPECT_EQ(without_token("bad s3cret, s3cret", "s3cret"), "bad ******, ******");
  EXPECT_EQ(without_token("aaa", "a"), "******************");
  EXPECT_EQ(without_token("as it is", std::nullopt), "as it is");
}

}  // namespace
}  // namespace rowrunner::webhooks
