// What POST /jobs takes, and what it says of every field that is wrong.

#include "workloads/ocr_relay/submission.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/errors.hpp"
#include "workloads/ocr_relay/broken_member.hpp"
#include "workloads/ocr_relay/support/relay_request.hpp"

namespace rowrunner::ocr_relay {
namespace {

using nlohmann::json;
using testing::full_request;
using ::testing::HasSubstr;
using testing::request_with;
using testing::request_without;
using ::testing::StartsWith;

const std::vector<std::string> required_texts{"orderId",         "fileId",          "prompt",
                                              "masters.shipCsv", "masters.itemCsv", "webhook.url",
                                              "webhook.token"};
const std::vector<std::string> required_objects{"masters", "webhook"};
const std::vector<std::string> optional_texts{"pattern", "idempotencyKey", "gemini.model",
                                              "options.splitMode"};
const std::vector<std::string> optional_objects{"gemini", "options"};
const std::vector<std::string> numbers{"gemini.temperature", "gemini.topP",
                                       "gemini.topK",        "gemini.maxOutputTokens",
                                       "options.dpi",        "options.concurrency"};

std::vector<std::string> all_texts() {
  auto out = required_texts;
  out.insert(out.end(), optional_texts.begin(), optional_texts.end());
  return out;
}

std::string complaint(const std::string& body) {
  try {
    parse_submission(body);
  } catch (const bad_input& error) {
    return error.what();
  }
  return "no error";
}
std::string complaint(const json& body) { return complaint(body.dump()); }

TEST(relay_submission, takes_every_field_of_the_document) {
  const auto found = parse_submission(full_request().dump());
  EXPECT_EQ(found.order_id, "abc123");
  EXPECT_EQ(found.file_id, "1AbCdEf");
  EXPECT_EQ(found.prompt, "Read the order.");
  EXPECT_EQ(found.pattern, "all");
  EXPECT_EQ(found.masters.dump(), R"({"shipCsv":"id,name\n1,大阪","itemCsv":"id,name\n7,Bolt"})");
  EXPECT_EQ(found.webhook_url, "https://script.google.com/macros/s/x/exec");
  EXPECT_EQ(found.webhook_token, "t0ken");
  EXPECT_EQ(found.gemini["topK"], 32);
  EXPECT_EQ(found.idempotency_key, "key");
  const auto pages = page_settings_of(json::parse(found.options.dump()));
  EXPECT_EQ(pages.concurrency, 3);
  EXPECT_FALSE(pages.as_image);
}

TEST(relay_submission, what_is_optional_has_the_defaults_of_the_document) {
  auto body = full_request();
  for (const char* name : {"pattern", "gemini", "options", "idempotencyKey"}) body.erase(name);
  const auto found = parse_submission(body.dump());
  EXPECT_EQ(found.pattern, std::nullopt);
  EXPECT_EQ(found.idempotency_key, "abc123") << "the orderId";
  const auto pages = page_settings_of(json());
  EXPECT_EQ(pages.dpi, 300);
  EXPECT_EQ(pages.concurrency, 1);
  for (const char* name : {"pattern", "gemini", "options", "idempotencyKey"}) {
    EXPECT_EQ(complaint(request_with(name, nullptr)), "no error") << name;
  }
  EXPECT_EQ(parse_submission(request_with("idempotencyKey", "").dump()).idempotency_key, "abc123");
}

TEST(relay_submission, a_required_field_that_is_missing_null_or_empty_is_required) {
  for (const auto& field : required_texts) {
    EXPECT_EQ(complaint(request_without(field)), field + " is required");
    EXPECT_EQ(complaint(request_with(field, nullptr)), field + " is required");
    EXPECT_EQ(complaint(request_with(field, "")), field + " is required");
  }
  for (const auto& field : required_objects) {
    EXPECT_EQ(complaint(request_without(field)), field + " is required");
    EXPECT_EQ(complaint(request_with(field, nullptr)), field + " is required");
  }
}

TEST(relay_submission, a_field_of_the_wrong_type_is_named) {
  for (const auto& field : all_texts()) {
    for (const json& wrong : {json(7), json(true), json::array(), json::object()}) {
      EXPECT_EQ(complaint(request_with(field, wrong)), field + " must be a string");
    }
  }
  for (const auto& group : {required_objects, optional_objects}) {
    for (const auto& field : group) {
      for (const json& wrong : {json(7), json("x"), json::array()}) {
        EXPECT_EQ(complaint(request_with(field, wrong)), field + " must be an object");
      }
    }
  }
  for (const auto& field : numbers) {
    for (const json& wrong : {json("1"), json(true), json(-1), json(1e300), json::array()}) {
      EXPECT_THAT(complaint(request_with(field, wrong)), StartsWith(field + " must be a "));
    }
  }
  EXPECT_THAT(complaint(request_with("options.dpi", 1.5)), HasSubstr("whole number"));
  EXPECT_THAT(complaint(request_with("options.dpi", 601)), HasSubstr("from 36.0 to 600.0"));
  for (const std::string bad : {"a b", "a/b", "../x", ".hidden", "モデル"}) {
    EXPECT_THAT(complaint(request_with("gemini.model", bad)), HasSubstr("gemini.model must be"));
  }
  EXPECT_EQ(complaint(request_with("options.splitMode", "scissors")),
            "options.splitMode must be pdf or image");
}

TEST(relay_submission, ten_megabytes_are_too_long_for_every_field) {
  const std::string huge(10'000'000, 'x');
  for (const auto& field : all_texts()) {
    auto body = request_with(field, "MARK").dump();
    body.replace(body.find("MARK"), 4, huge);
    EXPECT_THAT(complaint(body), StartsWith(field + " is longer than "));
  }
  EXPECT_EQ(complaint(request_with("orderId", std::string(501, 'x'))),
            "orderId is longer than 500 characters");
}

TEST(relay_submission, nul_and_lone_surrogates_are_told_with_their_field) {
  for (const auto& field : all_texts()) {
    const auto body = request_with(field, "MARK").dump();
    const auto with = [&](const std::string& text) {
      auto out = body;
      return out.replace(out.find("MARK"), 4, text);
    };
    EXPECT_THAT(complaint(with("a\\u0000b")), StartsWith(field + " "));
    EXPECT_THAT(complaint(with("a\\ud800b")), StartsWith(field + " "));
    EXPECT_THAT(complaint(with("a\\udc00")), StartsWith(field + " "));
    EXPECT_THAT(complaint(with("\xff")), StartsWith(field + " "));
    EXPECT_THAT(complaint(with(std::string(1, '\0'))), StartsWith(field + " "));
  }
}

TEST(relay_submission, a_body_that_is_no_object_is_told) {
  for (const char* body : {"[]", "7", "\"x\"", "null"}) {
    EXPECT_EQ(complaint(std::string(body)), "the body must be a JSON object");
  }
  for (const char* body : {"", "{", "nonsense"}) {
    EXPECT_THAT(complaint(std::string(body)), StartsWith("the body "));
  }
}

TEST(relay_submission, an_address_without_http_or_with_credentials_is_refused) {
  for (const char* url :
       {"ftp://a.example/", "javascript:1", "https://u:p@a.example/", "https://"}) {
    EXPECT_EQ(complaint(request_with("webhook.url", url)),
              "webhook.url must be an http or https address without credentials")
        << url;
  }
}

TEST(relay_broken_member, is_the_one_in_which_the_text_breaks) {
  EXPECT_EQ(broken_member(R"({"a": 1, "b": {"c": [1, {"d": "\ud800"}]}})"), "b.c.d");
  EXPECT_EQ(broken_member(R"({"a": {"b": 1}, "c": ?})"), "c");
  EXPECT_EQ(broken_member(R"({"a": {"b": 1}, ?})"), "");
  EXPECT_EQ(broken_member("?"), "");
  EXPECT_EQ(broken_member(R"({"a": 1})"), "");
  EXPECT_NE(broken_member(std::string(100'000, '[')), "x") << "it does not use up the stack";
}

}  // namespace
}  // namespace rowrunner::ocr_relay
