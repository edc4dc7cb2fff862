// What the answers of the services mean, and what a call has cost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "common/errors.hpp"
#include "workloads/scoring/cache_key.hpp"
#include "workloads/scoring/models/make_model.hpp"
#include "workloads/scoring/models/remote_model.hpp"

namespace rowrunner::scoring {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using enum reply_kind;

block mood() { return {"mood", {{"calm"}, {"angry"}}, 2}; }

class scoring_models : public ::testing::Test {
 protected:
  std::unique_ptr<model> make(const std::string& provider,
                              std::map<std::string, std::string> more) {
    more.try_emplace("OPENAI_API_KEY", "k");
    more.try_emplace("GEMINI_API_KEY", "k");
    const std::string name = provider == "openai" ? "gpt-test" : "flash";
    return make_model(provider, name, environment(std::move(more)), http_, run_inline);
  }
  reply read(const std::string& provider, const std::string& body) {
    const auto with = make(provider, {});
    http::response answer;
    answer.status = 200;
    answer.body = body;
    return dynamic_cast<const remote_model&>(*with).read(answer);
  }
  reply openai(const json& choice, const json& usage = nullptr) {
    return read("openai", json{{"choices", json::array({choice})}, {"usage", usage}}.dump());
  }
  reply gemini(const json& candidate) {
    return read("gemini", json{{"candidates", json::array({candidate})}}.dump());
  }

  asio::io_context io_;
  http::client http_{io_.get_executor()};
};

json message(const char* content) { return {{"role", "assistant"}, {"content", content}}; }

TEST_F(scoring_models, answers_of_openai) {
  const auto good = openai({{"finish_reason", "stop"}, {"message", message("{}")}},
                           {{"prompt_tokens", 7}, {"completion_tokens", 3}});
  EXPECT_EQ(good.kind, answered);
  EXPECT_EQ(good.text, "{}");
  EXPECT_TRUE(good.has_usage);
  EXPECT_EQ(good.tokens_in, 7);
  EXPECT_EQ(good.tokens_out, 3);
  const auto cut = openai({{"finish_reason", "length"}, {"message", message("{\"sc")}});
  EXPECT_EQ(cut.kind, retry);
  EXPECT_EQ(cut.text, "the answer was cut off (length)");
  auto refusing = message("");
  refusing["refusal"] = "I cannot";
  const auto refused = openai({{"finish_reason", "stop"}, {"message", refusing}});
  EXPECT_EQ(refused.kind, row_fails);
  EXPECT_EQ(refused.text, "openai refused to answer: I cannot");
  const auto filtered = openai({{"finish_reason", "content_filter"}, {"message", message("x")}});
  EXPECT_EQ(filtered.kind, row_fails);
  EXPECT_THAT(filtered.text, HasSubstr("content_filter"));
  EXPECT_EQ(openai({{"finish_reason", "stop"}, {"message", message("")}}).kind, retry);
  EXPECT_EQ(read("openai", R"({"choices": []})").kind, retry);
  EXPECT_EQ(read("openai", "<html>").kind, retry);
}

TEST_F(scoring_models, answers_of_gemini) {
  const json parts = json::array({{{"text", "thinking"}, {"thought", true}}, {{"text", "{}"}}});
  const auto good = gemini({{"finishReason", "STOP"}, {"content", {{"parts", parts}}}});
  EXPECT_EQ(good.kind, answered);
  EXPECT_EQ(good.text, "{}");
  const auto cut = gemini({{"finishReason", "MAX_TOKENS"}, {"content", {{"parts", parts}}}});
  EXPECT_EQ(cut.kind, retry);
  EXPECT_EQ(cut.text, "the answer was cut off (MAX_TOKENS)");
  for (const char* reason : {"SAFETY", "RECITATION", "PROHIBITED_CONTENT"}) {
    const auto refused = gemini({{"finishReason", reason}});
    EXPECT_EQ(refused.kind, row_fails) << reason;
    EXPECT_THAT(refused.text, HasSubstr(reason));
  }
  const auto blocked = read("gemini", R"({"promptFeedback": {"blockReason": "SAFETY"},
                                          "usageMetadata": {"promptTokenCount": 9}})");
  EXPECT_EQ(blocked.kind, row_fails);
  EXPECT_EQ(blocked.text, "gemini refused the question (SAFETY)");
  EXPECT_TRUE(blocked.has_usage);
  EXPECT_EQ(blocked.tokens_in, 9);
  EXPECT_EQ(gemini({{"finishReason", "STOP"}}).kind, retry);
  EXPECT_EQ(read("gemini", "{}").kind, retry);
  EXPECT_EQ(read("gemini", "").kind, retry);
}

TEST_F(scoring_models, an_answer_without_its_usage_says_so) {
  const json choice{{"finish_reason", "stop"}, {"message", message("{}")}};
  EXPECT_FALSE(openai(choice).has_usage);
  EXPECT_FALSE(openai(choice, json::object()).has_usage);
  EXPECT_FALSE(openai(choice, {{"prompt_tokens", 7}}).has_usage);
  EXPECT_FALSE(openai(choice, {{"prompt_tokens", -7}, {"completion_tokens", 1}}).has_usage);
  EXPECT_FALSE(read("openai", "<html>").has_usage);
  EXPECT_FALSE(read("gemini", "{}").has_usage);
}

TEST_F(scoring_models, other_addresses_and_parameters_have_other_limits_and_answers) {
  const auto usual = make("openai", {});
  const auto slash = make("openai", {{"OPENAI_BASE_URL", "https://api.openai.com/v1/"}});
  const auto other = make("openai", {{"OPENAI_BASE_URL", "https://example.org/v1"}});
  const auto thinks = make("openai", {{"OPENAI_MAX_COMPLETION_TOKENS", "4000"}});
  EXPECT_EQ(usual->limit_key(), "openai:gpt-test");
  EXPECT_EQ(slash->limit_key(), "openai:gpt-test");
  EXPECT_EQ(other->limit_key(), "openai:gpt-test@example.org/v1");
  const auto far = make("openai", {{"OPENAI_BASE_URL", "https://x.org/" + std::string(400, 'a')}});
  EXPECT_LE(far->limit_key().size(), 200u);
  const auto key = [](const model& of) { return cache_key("hello", mood(), "prompt", of); };
  EXPECT_EQ(key(*usual), key(*slash));
  EXPECT_NE(key(*usual), key(*other));
  EXPECT_NE(key(*usual), key(*thinks));
  EXPECT_EQ(thinks->parameters(mood()), "max_completion_tokens 4000");
  EXPECT_EQ(usual->parameters(mood()), "temperature 0, max_tokens 297");
}

TEST_F(scoring_models, the_key_of_an_answer_stays_the_same) {
  // SHA-256 of the parts, each behind its length; a change makes all answers that are stored old.
  EXPECT_EQ(cache_key("hello", mood(), "prompt", *make("openai", {})),
            "8456d017d17d7ffa6a4c20aa1904144e2aabd345369b59fc216b897265cecec8");
}

TEST_F(scoring_models, have_a_price_only_if_both_are_named) {
  EXPECT_FALSE(make("openai", {})->has_price());
  EXPECT_FALSE(make("openai", {{"SCORING_PRICE_IN", "1"}})->has_price());
  EXPECT_FALSE(make("openai", {{"SCORING_PRICE_OUT", "1"}})->has_price());
  EXPECT_TRUE(make("openai", {{"SCORING_PRICE_IN", "1"}, {"SCORING_PRICE_OUT", "1"}})->has_price());
}

TEST(scoring_model_names, that_cannot_be_are_refused_without_any_setting) {
  EXPECT_THROW(check_model("oracle", "x"), bad_input);
  EXPECT_THROW(check_model("lexical", "x"), bad_input);
  EXPECT_THROW(check_model("openai", ""), bad_input);
  EXPECT_THROW(check_model("openai", std::string(201, 'x')), bad_input);
  EXPECT_NO_THROW(check_model("gemini", "flash"));
}

}  // namespace
}  // namespace rowrunner::scoring
