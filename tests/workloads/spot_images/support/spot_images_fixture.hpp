#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "support/jobs.hpp"
#include "support/paths.hpp"
#include "support/pooler.hpp"
#include "support/process.hpp"
#include "support/watched_database.hpp"

namespace rowrunner::testing {

/// A database and a storage folder of one's own, and the real binary on them.
class spot_images_fixture : public ::testing::Test {
 public:
  ~spot_images_fixture() override { std::filesystem::remove_all(folder); }

 protected:
  spot_images_fixture() {
    std::string name = ::testing::TempDir() + "/spotsXXXXXX";
    folder = std::filesystem::canonical(mkdtemp(name.data()));
    db.watch("spot_image_jobs");
  }

  process_environment env(process_environment more = {}) const {
    const auto place = endpoint_for_workers(db.url());
    more.insert({{"DATABASE_URL", place.url},
                 {"ROWRUNNER_POOLED", place.pooled ? "1" : "0"},
                 {"LOCAL_STORAGE_PATH", folder + "/store"}});
    return more;
  }
  process_result run(std::vector<std::string> words, process_environment more = {}) const {
    words.insert(words.begin(), rowrunner_binary());
    return run_process(words, env(std::move(more)), folder);
  }
  std::unique_ptr<child_process> start(std::vector<std::string> words,
                                       process_environment more = {}) const {
    words.insert(words.begin(), rowrunner_binary());
    return std::make_unique<child_process>(words, env(std::move(more)), folder);
  }

  /// A plan `p` with these places.
  void add_plan(const std::vector<std::string>& spots) {
    db.exec("INSERT INTO travel_plans (plan_id, title) VALUES ('p', 'Plan')");
    for (const auto& name : spots) {
      db.exec("INSERT INTO spots (plan_id, spot_name) VALUES ('p', '" + name + "')");
    }
  }
  /// The same, with a job for each.
  void enqueue_plan(const std::vector<std::string>& spots) {
    add_plan(spots);
    const auto done = run({"enqueue", "spot-images", "--plan", "p"});
    EXPECT_EQ(done.exit_code, 0) << done.err;
  }

  /// The status, the charged attempts and the last error of a job, as in "failed 3 no paint".
  std::string job_of(const std::string& spot) {
    return db.value(
        "SELECT concat_ws(' ', status, attempts, last_error) FROM spot_image_jobs"
        " WHERE spot_name = '" +
        spot + "'");
  }
  /// The picture of a spot that has one, by its address; "" if there is no such file.
  std::string picture_of(const std::string& spot) {
    return file_at(db.value("SELECT image_url FROM spots WHERE spot_name = '" + spot + "'"));
  }
  static std::string file_at(const std::string& url) {
    if (!url.starts_with("file://")) return "";
    std::ifstream file(url.substr(7), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  watched_database db{test_database::contents::workloads};
  std::string folder;
};

}  // namespace rowrunner::testing
