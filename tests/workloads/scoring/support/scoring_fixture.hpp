#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/watched_database.hpp"
#include "workloads/scoring/support/model_stand_in.hpp"

namespace rowrunner::testing {

/// A database and a folder of one's own, and the real binary on them.
class scoring_fixture : public ::testing::Test {
 public:
  ~scoring_fixture() override { std::filesystem::remove_all(folder); }

 protected:
  scoring_fixture() {
    std::string name = ::testing::TempDir() + "/scoringXXXXXX";
    folder = std::filesystem::canonical(mkdtemp(name.data()));
    write("categories.json",
          R"([{"name": "mood", "categories": ["calm", "angry"]},
              {"name": "topic", "categories": ["price", "delivery"]}])");
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder + "/" + name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(folder + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool exists(const std::string& name) const {
    return std::filesystem::exists(folder + "/" + name);
  }
  /// utterance, number: "say 1", 1, …
  void write_sheet(int rows, const std::string& name = "sheet.csv") const {
    std::string text = "utterance,number\r\n";
    for (int i = 1; i <= rows; ++i) {
      text += "say " + std::to_string(i) + "," + std::to_string(i) + "\r\n";
    }
    write(name, text);
  }

  process_environment env() const {
    process_environment all = model.settings();
    all["DATABASE_URL"] = db.url();
    return all;
  }
  process_result run(std::vector<std::string> words, const process_environment& more = {}) const {
    words.insert(words.begin(), {rowrunner_binary(), "scoring"});
    auto all = env();
    for (const auto& [name, value] : more) all[name] = value;
    return run_process(words, all, folder);
  }
  /// `scoring run` of sheet.csv, with more options.
  process_result score(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{
        "run", "--sheet", "sheet.csv", "--categories", "categories.json", "--out", "out.csv"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  process_result ask_model(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"--provider", "openai", "--model", "gpt-test"};
    words.insert(words.end(), more.begin(), more.end());
    return score(words);
  }
  std::unique_ptr<child_process> start(std::vector<std::string> words) const {
    words.insert(words.begin(), rowrunner_binary());
    return std::make_unique<child_process>(words, env(), folder);
  }

  /// What must come out of write_sheet(rows) with the stand-in.
  std::string expected(int rows) const {
    std::string text = "utterance,number,mood: calm,mood: angry,topic: price,topic: delivery\r\n";
    for (int i = 1; i <= rows; ++i) text += expected_row(i);
    return text;
  }
  static std::string expected_row(int i) {
    const auto say = "say " + std::to_string(i);
    std::string text = say + "," + std::to_string(i);
    for (const char* category : {"calm", "angry", "price", "delivery"}) {
      std::ostringstream number;
      number << model_stand_in::score(say, category);
      text += "," + number.str();
    }
    return text + "\r\n";
  }

  watched_database db{test_database::contents::workloads};
  std::string folder;
  model_stand_in model;
};

}  // namespace rowrunner::testing
