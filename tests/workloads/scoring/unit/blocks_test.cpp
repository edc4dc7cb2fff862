#include "workloads/scoring/blocks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rowrunner/bad_input.hpp>

#include "workloads/scoring/cache_key.hpp"
#include "workloads/scoring/models/lexical.hpp"
#include "workloads/scoring/question_board.hpp"
#include "workloads/scoring/run_config.hpp"

namespace rowrunner::scoring {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const std::string& text) {
  try {
    parse_blocks(text, 0);
  } catch (const bad_input& error) {
    return error.what();
  }
  return "no error";
}

TEST(scoring_blocks, have_their_columns_side_by_side_behind_the_sheet) {
  const auto blocks = parse_blocks(
      R"([{"name": "mood", "categories": ["calm", {"name": "angry", "description": "怒り"}]},
          {"name": "topic", "categories": ["price"]}])",
      3);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].col_offset, 3);
  EXPECT_EQ(blocks[1].col_offset, 5);
  EXPECT_EQ(blocks[0].categories[1].description, "怒り");
  EXPECT_THAT(score_titles(blocks), ElementsAre("mood: calm", "mood: angry", "topic: price"));
  EXPECT_EQ(stored_blocks(to_json(blocks).dump()), blocks);
}

TEST(scoring_blocks, that_are_empty_doubled_or_too_many_are_refused) {
  EXPECT_EQ(refusal("[]"), "the categories have no block");
  EXPECT_EQ(refusal(R"([{"name": "m", "categories": []}])"), "blocks[0].categories is empty");
  EXPECT_EQ(refusal(R"([{"name": "m", "categories": ["a", "a"]}])"),
            "blocks[0] has the category 'a' twice");
  EXPECT_EQ(refusal(R"([{"name": "m", "categories": ["a"]}, {"name": "m", "categories": ["b"]}])"),
            "there are two blocks named 'm'");
  json many = json::array();
  for (int i = 0; i < 10'000; ++i) many.push_back("c" + std::to_string(i));
  EXPECT_EQ(refusal(json::array({{{"name", "m"}, {"categories", many}}}).dump()),
            "blocks[0] has 10000 categories: at most 200 fit into one block");
}

TEST(scoring_blocks, that_are_something_else_are_refused_with_their_place) {
  EXPECT_THAT(refusal("{"), HasSubstr("no JSON that can be used"));
  EXPECT_THAT(refusal("{}"), HasSubstr("must be a list"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("blocks[0] must be an object"));
  EXPECT_THAT(refusal(R"([{"categories": ["a"]}])"), HasSubstr("blocks[0] has no name"));
  EXPECT_THAT(refusal(R"([{"name": "m", "categories": [5]}])"),
              HasSubstr("blocks[0].categories[0] must be a text"));
  EXPECT_THAT(refusal(R"([{"name": "m", "categories": ["a"], "x": 1}])"),
              HasSubstr("unknown member 'x'"));
  EXPECT_THAT(refusal(R"([{"name": "m", "categories": [""]}])"), HasSubstr("is empty"));
}

TEST(scoring_config, has_the_names_and_defaults_of_the_document) {
  const run_config config;
  EXPECT_EQ(config.chunk_retry_limit, 3);
  EXPECT_EQ(config.flush_batch_size, 50);
  EXPECT_EQ(config.flush_interval, 2);
  EXPECT_EQ(chunk_rows, 500);
  const auto stored = to_json(config);
  for (const char* name :
       {"chunk_retry_limit", "max_retries", "flush_batch_size", "flush_interval", "concurrency"}) {
    EXPECT_TRUE(stored.contains(name)) << name;
  }
  EXPECT_EQ(read_config(stored), config);
}

TEST(scoring_config, out_of_its_limits_is_refused_by_name) {
  const auto refused = [](const json& given) -> std::string {
    try {
      read_config(given);
    } catch (const bad_input& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(refused({{"concurrency", 0}}), "concurrency is 0: it must be from 1 to 1000");
  EXPECT_THAT(refused({{"concurrency", 1e300}}), HasSubstr("concurrency must be a whole number"));
  EXPECT_THAT(refused({{"concurrency", 9'000'000'000'000}}), HasSubstr("concurrency is 9e+12"));
  EXPECT_THAT(refused({{"max_retries", -1}}), HasSubstr("max_retries is -1"));
  EXPECT_THAT(refused({{"flush_interval", "2"}}), HasSubstr("must be a number of seconds"));
  EXPECT_THAT(refused({{"keep_going", 1}}), HasSubstr("true or false"));
  EXPECT_THAT(refused({{"concurency", 1}}), HasSubstr("unknown member 'concurency'"));
}

TEST(scoring_config, a_chunk_waits_as_the_document_says) {
  std::vector<std::int64_t> seconds;
  for (int n = 1; n <= 8; ++n) seconds.push_back(chunk_back_off(n).count());
  EXPECT_THAT(seconds, ElementsAre(2, 4, 8, 16, 32, 60, 60, 60));
  EXPECT_EQ(chunk_id(1), "chunk-0001");
  EXPECT_EQ(chunk_id(12'345), "chunk-12345");
}

block mood() { return {"mood", {{"calm"}, {"angry"}}, 2}; }

class named_model : public model {
 public:
  named_model(std::string provider, std::string name)
      : provider_(std::move(provider)), name_(std::move(name)) {}
  std::string provider() const override { return provider_; }
  std::string name() const override { return name_; }
  bool is_paid() const override { return true; }
  asio::awaitable<reply> ask(question) override { co_return reply{}; }

 private:
  const std::string provider_, name_;
};

std::string key_of(const std::string& text, const block& asked, const std::string& prompt,
                   const std::string& provider, const std::string& model) {
  return cache_key(text, asked, prompt, named_model(provider, model));
}

TEST(scoring_cache_key, is_over_all_parts_of_the_question) {
  const auto key = key_of("hello", mood(), "prompt", "gemini", "flash");
  EXPECT_EQ(key.size(), 64u);
  EXPECT_EQ(key, key_of("hello", mood(), "prompt", "gemini", "flash"));
  auto elsewhere = mood();
  elsewhere.col_offset = 9;
  EXPECT_EQ(key, key_of("hello", elsewhere, "prompt", "gemini", "flash"));
  auto other = mood();
  other.categories.pop_back();
  EXPECT_NE(key, key_of("hello!", mood(), "prompt", "gemini", "flash"));
  EXPECT_NE(key, key_of("hello", other, "prompt", "gemini", "flash"));
  EXPECT_NE(key, key_of("hello", mood(), "prompt2", "gemini", "flash"));
  EXPECT_NE(key, key_of("hello", mood(), "prompt", "openai", "flash"));
  EXPECT_NE(key, key_of("hello", mood(), "prompt", "gemini", "pro"));
}

TEST(scoring_cache_key, cannot_be_shifted_between_parts) {
  EXPECT_NE(key_of("x", mood(), "p", "ab", "c"), key_of("x", mood(), "p", "a", "bc"));
}

TEST(scoring_cache_settings, have_the_defaults_of_the_document) {
  const auto usual = cache_settings_from(environment(std::map<std::string, std::string>{}));
  EXPECT_EQ(usual.most_entries, 10'000);
  EXPECT_EQ(usual.time_to_live, std::chrono::hours(24));
}

TEST(scoring_lexical, finds_categories_in_both_languages) {
  EXPECT_EQ(lexical_score("The delivery was late", {"delivery"}), 1);
  EXPECT_EQ(lexical_score("配送が遅い", {"配送"}), 1);
  EXPECT_GT(lexical_score("delivered late", {"delivery"}),
            lexical_score("a nice colour", {"delivery"}));
  EXPECT_GT(lexical_score("値段が高い", {"値段"}), lexical_score("店員が親切", {"値段"}));
  EXPECT_EQ(lexical_score("", {"price"}), 0);
  EXPECT_EQ(lexical_score("xyz", {"!!"}), 0);
}

TEST(scoring_lexical, does_not_see_case_width_and_kind_of_kana) {
  EXPECT_EQ(lexical_score("ＤＥＬＩＶＥＲＹ", {"delivery"}), 1);
  EXPECT_EQ(lexical_score("さぽーと", {"サポート"}), 1);
}

TEST(scoring_lexical, takes_the_description_too_and_stays_in_range) {
  EXPECT_EQ(lexical_score("too expensive", {"price", "expensive"}), 1);
  const auto answer = json::parse(lexical_answer("too expensive", mood()));
  for (const auto& [name, score] : answer.at("scores").items()) {
    EXPECT_GE(score.get<double>(), 0) << name;
    EXPECT_LE(score.get<double>(), 1) << name;
  }
  EXPECT_EQ(answer["scores"].size(), 2u);
}

}  // namespace
}  // namespace rowrunner::scoring
