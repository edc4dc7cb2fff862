// What is sent to models/{model}:generateContent and what its answers mean, as its public
// documentation says.
#include "workloads/providers/gemini_messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/http/base64.hpp"

namespace rowrunner::providers {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

http::response answer(int status, std::string body) {
  http::response made;
  made.status = status;
  made.body = std::move(body);
  return made;
}

provider_error refusal(const http::response& given) {
  try {
    gemini_answer(given);
  } catch (const provider_error& e) {
    return e;
  }
  throw std::logic_error("it was accepted");
}

page_input page() {
  page_input out;
  out.prompt = "Read the order.";
  out.masters =
      std::make_shared<const json>(json{{"shipCsv", "id,name\n1,東京"}, {"itemCsv", "id\n7"}});
  out.settings = json{{"model", "gemini-2.5-pro"},
                      {"temperature", 0.1},
                      {"topP", 0.9},
                      {"topK", 32},
                      {"maxOutputTokens", 65536}};
  return out;
}

std::string good(const std::string& text, const std::string& reason = "STOP") {
  return json{
      {"candidates",
       json::array({{{"content", {{"parts", json::array({{{"text", text}}})}, {"role", "model"}}},
                     {"finishReason", reason}}})},
      {"usageMetadata",
       {{"promptTokenCount", 1290},
        {"candidatesTokenCount", 42},
        {"thoughtsTokenCount", 8},
        {"totalTokenCount", 1340}}},
      {"modelVersion", "gemini-2.5-flash"}}
      .dump();
}

TEST(gemini_messages, prompt_masters_and_page_are_one_request) {
  const auto body = json::parse(gemini_request(page(), "application/pdf", "%PDF"));
  const auto& parts = body.at("contents").at(0).at("parts");
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(body.at("contents").at(0).at("role"), "user");
  EXPECT_EQ(parts[0].at("text"), "Read the order.");
  EXPECT_EQ(parts[1].at("text"), "itemCsv:\nid\n7");
  EXPECT_EQ(parts[2].at("text"), "shipCsv:\nid,name\n1,東京");
  EXPECT_EQ(parts[3].at("inline_data"),
            json({{"mime_type", "application/pdf"}, {"data", http::base64("%PDF")}}));
  EXPECT_EQ(body.at("generationConfig"),
            json({{"temperature", 0.1}, {"topP", 0.9}, {"topK", 32}, {"maxOutputTokens", 65536}}));
}

TEST(gemini_messages, without_settings_the_api_has_its_own) {
  page_input plain;
  const auto body = json::parse(gemini_request(plain, "image/png", "x"));
  EXPECT_FALSE(body.contains("generationConfig"));
  EXPECT_EQ(body.at("contents").at(0).at("parts").size(), 2u);
  EXPECT_THAT(body.at("contents").at(0).at("parts")[0].at("text").get<std::string>(),
              HasSubstr("Read all text"));
}

TEST(gemini_messages, the_model_of_the_job_or_the_usual_one) {
  EXPECT_EQ(gemini_model(page(), "usual"), "gemini-2.5-pro");
  EXPECT_EQ(gemini_model(page_input{}, "usual"), "usual");
  for (const char* bad : {"../files", "a/b", "a:b", "a?b", "a b", "模", ".."}) {
    page_input named;
    named.settings = json{{"model", bad}};
    EXPECT_THROW(gemini_model(named, "usual"), provider_error) << bad;
  }
}

TEST(gemini_messages, the_text_and_the_tokens_of_an_answer) {
  const auto read = gemini_answer(answer(200, good("【得意先】東京")));
  EXPECT_EQ(read.text, "【得意先】東京");
  EXPECT_TRUE(read.is_order);
  EXPECT_EQ(read.meta.at("tokensInput"), 1290);
  EXPECT_EQ(read.meta.at("tokensOutput"), 50);
  EXPECT_EQ(read.meta.at("modelVersion"), "gemini-2.5-flash");
}

TEST(gemini_messages, a_blank_or_marked_page_is_no_order) {
  EXPECT_FALSE(gemini_answer(answer(200, good(" \n"))).is_order);
  EXPECT_FALSE(gemini_answer(answer(200, good("NON_ORDER_PAGE\n"))).is_order);
  EXPECT_FALSE(gemini_answer(answer(200, good("```\nNON_ORDER_PAGE"))).is_order);
  EXPECT_TRUE(gemini_answer(answer(200, good("not NON_ORDER_PAGE"))).is_order);
}

TEST(gemini_messages, the_time_to_wait_stands_in_the_body) {
  const char* body = R"({"error": {"code": 429, "message": "You exceeded your quota\nRetry",
    "status": "RESOURCE_EXHAUSTED", "details": [
      {"@type": "type.googleapis.com/google.rpc.QuotaFailure"},
      {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]}})";
  const auto busy = refusal(answer(429, body));
  EXPECT_FALSE(busy.final);
  EXPECT_EQ(busy.after, 34'501ms);
  EXPECT_STREQ(busy.what(), "Gemini answered 429: You exceeded your quota Retry");
  auto both = answer(429, body);
  both.headers.add("Retry-After", "60");
  EXPECT_EQ(refusal(both).after, 60s);
  EXPECT_EQ(refusal(answer(429, std::string("[") + body + "]")).after, 34'501ms);
  for (const char* odd : {R"("x")", R"("-5s")", R"("nans")", R"("1e99s")", "7", "null"}) {
    const auto text = std::string(R"({"error":{"details":[{"@type":"a/google.rpc.RetryInfo",)") +
                      R"("retryDelay":)" + odd + "}]}}";
    EXPECT_EQ(refusal(answer(429, text)).after, std::nullopt) << odd;
  }
}

TEST(gemini_messages, what_may_pass_is_asked_again_and_a_refusal_is_final) {
  EXPECT_FALSE(refusal(answer(503, "<html>")).final);
  EXPECT_FALSE(refusal(answer(500, "")).final);
  EXPECT_TRUE(refusal(answer(400, R"({"error":{"message":"API key not valid"}})")).final);
  EXPECT_TRUE(refusal(answer(404, "")).final);
  EXPECT_TRUE(refusal(answer(200, R"({"promptFeedback":{"blockReason":"SAFETY"}})")).final);
  EXPECT_TRUE(refusal(answer(200, good("half of", "MAX_TOKENS"))).final);
  for (const char* body : {"", "null", "[]", "{}", "<html>", R"({"candidates":[]})",
                           R"({"candidates":[1]})", R"({"candidates":5})"}) {
    EXPECT_FALSE(refusal(answer(200, body)).final) << body;
  }
}

TEST(gemini_messages, thoughts_are_no_text) {
  const char* body = R"({"candidates":[{"content":{"parts":[{"text":"hm","thought":true},
      {"text":"a"},{"text":"b"},{"inlineData":{}},7]},"finishReason":"STOP"}]})";
  EXPECT_EQ(gemini_answer(answer(200, body)).text, "ab");
}

}  // namespace
}  // namespace rowrunner::providers
