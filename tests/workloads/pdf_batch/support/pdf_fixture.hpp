#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "support/paths.hpp"
#include "support/process.hpp"
#include "workloads/pdf_batch/support/pdf_database.hpp"
#include "workloads/pdf_batch/support/pdf_files.hpp"

namespace rowrunner::testing {

/// A database and a storage folder of one's own, and the real binary with its children on them.
class pdf_fixture : public ::testing::Test {
 public:
  ~pdf_fixture() override { std::filesystem::remove_all(folder_); }

 protected:
  process_environment env(process_environment more = {}) const {
    more.insert({{"DATABASE_URL", db_.url()}, {"LOCAL_STORAGE_PATH", folder_ + "/store"}});
    return more;
  }
  process_result run(std::vector<std::string> words, process_environment more = {}) const {
    words.insert(words.begin(), rowrunner_binary());
    return run_process(words, env(std::move(more)), folder_);
  }
  std::unique_ptr<child_process> start(std::vector<std::string> words,
                                       process_environment more = {}) const {
    words.insert(words.begin(), rowrunner_binary());
    return std::make_unique<child_process>(words, env(std::move(more)), folder_);
  }
  std::unique_ptr<child_process> start_worker(process_environment more = {}) const {
    return start({"worker", "--kind", "pdf_batch:3", "--lease", "1"}, std::move(more));
  }

  void store(const std::string& key, const std::string& bytes) const {
    const std::filesystem::path path = folder_ + "/store/" + key;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }
  std::string stored(const std::string& key) const {
    std::ifstream file(folder_ + "/store/" + key, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  nlohmann::json result(const std::string& job_id) const {
    return nlohmann::json::parse(stored("results/" + job_id + "/result.json"), nullptr, false);
  }
  /// A job for a file with these bytes.
  void add(const std::string& job_id, const std::string& bytes) {
    store(job_id + ".pdf", bytes);
    db_.add(job_id, job_id + ".pdf");
  }

  const std::string folder_ = [] {
    std::string name = ::testing::TempDir() + "/pdf_e2eXXXXXX";
    return std::filesystem::canonical(mkdtemp(name.data())).string();
  }();
  pdf_database db_;
};

}  // namespace rowrunner::testing
