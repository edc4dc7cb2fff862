#include <sys/stat.h>

#include "workloads/scoring/support/scoring_fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

/// Each gets one clear line, and leaves nothing behind.
class scoring_bad_input : public scoring_fixture {
 protected:
  scoring_bad_input() { write_sheet(3); }

  void refuses(const process_result& result, const std::string& why) {
    EXPECT_THAT(result.exit_code, AnyOf(1, 2)) << result.out;
    EXPECT_THAT(result.err, HasSubstr(why));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(db.value("SELECT count(*) FROM scoring_runs"), "0");
    EXPECT_EQ(db.value("SELECT count(*) FROM scoring_chunk_jobs"), "0");
    EXPECT_FALSE(exists("out.csv"));
  }
  void refuses_sheet(const std::string& text, const std::string& why) {
    write("sheet.csv", text);
    refuses(score(), why);
  }
  void refuses_categories(const std::string& text, const std::string& why) {
    write("categories.json", text);
    refuses(score(), why);
  }
};

TEST_F(scoring_bad_input, a_sheet_without_the_column) {
  refuses_sheet("text,number\nhello,1\n",
                "the sheet has no column 'utterance': it has 'text', 'number'");
}

TEST_F(scoring_bad_input, a_sheet_with_sixteen_thousand_columns) {
  std::string header = "utterance";
  for (int i = 1; i < 16'000; ++i) header += ",c";
  refuses_sheet(header + "\n", "row 1 has more than 1000 columns");
}

TEST_F(scoring_bad_input, ragged_rows) {
  refuses_sheet("utterance,n\na,1\nb\n", "row 3 has 1 cells, but the header has 2");
}

TEST_F(scoring_bad_input, broken_text_after_many_good_rows_leaves_nothing) {
  std::string sheet = "utterance\n";
  for (int i = 0; i < 1'200; ++i) sheet += "fine\n";
  refuses_sheet(sheet + "\xff\n", "row 1202 is not UTF-8 in column 1");
  refuses_sheet(sheet + std::string("a\0b\n", 4), "row 1202 has a NUL character in column 1");
  refuses_sheet(sheet + "\"open\n", "row 1202 has a quote that is not closed");
}

TEST_F(scoring_bad_input, a_huge_cell) {
  refuses_sheet("utterance\n" + std::string(2u << 20, 'x') + "\n",
                "row 2 has a cell of more than 256 KiB");
}

TEST_F(scoring_bad_input, a_sheet_without_rows_or_that_is_not_there) {
  refuses_sheet("utterance\n", "the sheet has no rows below its header");
  refuses_sheet("", "sheet.csv is empty");
  std::filesystem::remove(folder + "/sheet.csv");
  refuses(score(), "cannot read sheet.csv");
}

TEST_F(scoring_bad_input, categories_that_are_empty_doubled_or_too_many) {
  refuses_categories("[]", "categories.json: the categories have no block");
  refuses_categories(R"([{"name": "a", "categories": []}])", "blocks[0].categories is empty");
  refuses_categories(R"([{"name": "a", "categories": ["x", "x"]}])", "has the category 'x' twice");
  std::string many = R"([{"name": "a", "categories": ["c")";
  for (int i = 0; i < 10'000; ++i) many += ",\"c" + std::to_string(i) + "\"";
  refuses_categories(many + "]}]", "at most 200 fit into one block");
  refuses_categories("not json", "no JSON that can be used");
}

TEST_F(scoring_bad_input, options_out_of_their_limits) {
  refuses(score({"--concurrency", "0"}), "concurrency is 0: it must be from 1 to 1000");
  refuses(score({"--max-retries", "-1"}), "max_retries is -1");
  refuses(score({"--name", "../x"}), "a run's name is 1 to 100 letters");
  refuses(score({"--provider", "oracle"}), "there is no provider 'oracle'");
  refuses(score({"--max-calls", "-1"}), "--max-calls");
}

TEST_F(scoring_bad_input, an_output_file_that_cannot_be_written) {
  const auto nowhere = run({"run", "--sheet", "sheet.csv", "--categories", "categories.json",
                            "--out", "no/such/folder/out.csv"});
  refuses(nowhere, "cannot write no/such/folder/out.csv: No such file or directory");
  const auto a_folder =
      run({"run", "--sheet", "sheet.csv", "--categories", "categories.json", "--out", "."});
  refuses(a_folder, "cannot write .: it is a folder");
}

TEST_F(scoring_bad_input, a_model_without_its_key_fails_the_run_with_the_variable_named) {
  const auto failed = run({"run", "--sheet", "sheet.csv", "--categories", "categories.json",
                           "--out", "out.csv", "--provider", "gemini", "--chunk-retry-limit", "1"},
                          {{"GEMINI_API_KEY", std::nullopt}});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.err, HasSubstr("this model needs GEMINI_API_KEY"));
}

TEST_F(scoring_bad_input, a_run_that_exists_with_other_content) {
  ASSERT_EQ(score({"--name", "r"}).exit_code, 0);
  const auto first = read("out.csv");
  const auto same = score({"--name", "r"});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  write_sheet(4);
  const auto other = score({"--name", "r"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("run 'r' exists with other content"));
  EXPECT_EQ(read("out.csv"), first);
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_rows"), "3");
}

TEST_F(scoring_bad_input, a_run_that_exists_with_other_settings) {
  ASSERT_EQ(score({"--name", "r", "--max-calls", "5"}).exit_code, 0);
  const auto refuses_again = [&](const std::vector<std::string>& more, const std::string& why) {
    std::vector<std::string> words{"--name", "r"};
    words.insert(words.end(), more.begin(), more.end());
    const auto other = score(words);
    EXPECT_EQ(other.exit_code, 1) << other.out;
    EXPECT_THAT(other.err, HasSubstr(why));
  };
  refuses_again({"--max-calls", "6"}, "run 'r' exists with max_calls 5; nothing was changed");
  refuses_again({}, "run 'r' exists with max_calls 5");
  refuses_again({"--max-calls", "5", "--max-cost", "1"}, "run 'r' exists without max_cost");
  refuses_again({"--max-calls", "5", "--concurrency", "3"},
                "run 'r' exists with concurrency 10, not 3");
  EXPECT_EQ(score({"--name", "r", "--max-calls", "5"}).exit_code, 0);
}

TEST_F(scoring_bad_input, a_run_that_does_not_exist) {
  for (const char* word :
       {"show", "chunks", "checkpoint", "failures", "export", "resume", "retry-failed", "wait"}) {
    const auto result = run({word, "nope"});
    EXPECT_EQ(result.exit_code, 1) << word;
    EXPECT_THAT(result.err, HasSubstr("there is no run 'nope'")) << word;
  }
}

TEST_F(scoring_bad_input, garbage_from_the_model_names_row_and_block_and_the_rest_completes) {
  const std::vector<std::string> garbage{"{",
                                         R"({"scores": {"calm": 1}})",
                                         R"({"scores": {"calm": 1, "angry": 1, "sad": 1}})",
                                         R"({"scores": {"calm": NaN, "angry": 1}})",
                                         R"(Here: {"scores": {"calm": 1, "angry": 1}})",
                                         "{\"scores\": " + std::string(50'000, '[') + "}",
                                         std::string(3u << 20, 'x')};
  write_sheet(static_cast<int>(garbage.size()) + 1);
  model.answer_with([&](http_exchange& to, const model_stand_in::question& asked) {
    const auto number = static_cast<std::size_t>(std::stoi(asked.utterance.substr(4)));
    if (number > garbage.size() || asked.block != "mood") return false;
    model_stand_in::answer_text(to, garbage[number - 1]);
    return true;
  });
  const auto done = ask_model({"--name", "r", "--keep-going", "--max-retries", "1"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_failures"), std::to_string(garbage.size()));
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_scores"), std::to_string(garbage.size() + 2));
  const auto failures = nlohmann::json::parse(run({"failures", "r", "--json"}).out);
  for (std::size_t i = 1; i <= garbage.size(); ++i) {
    EXPECT_EQ(failures.at(i - 1)["row_index"], i);
    EXPECT_EQ(failures.at(i - 1)["block_index"], 0);
    EXPECT_NE(failures.at(i - 1)["reason"], "");
    EXPECT_EQ(model.asked("say " + std::to_string(i), "mood"), 2) << i;
  }
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_cache"), std::to_string(garbage.size() + 2));
  const auto failed =
      ask_model({"--name", "strict", "--max-retries", "0", "--chunk-retry-limit", "1"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.err, ::testing::ContainsRegex("row [2-8], block 0 \\(mood\\): the answer"));
  EXPECT_THAT(failed.err, HasSubstr("(and 6 more)"));
}

}  // namespace
}  // namespace rowrunner::testing
