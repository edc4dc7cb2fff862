// The handler of PDF batches, with the test kit: no database, a storage in a folder, no child.
#include "workloads/pdf_batch/handler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <rowrunner/testing.hpp>

#include "common/log.hpp"

namespace rowrunner::pdf_batch {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class no_database : public database {
 public:
  asio::awaitable<query_result> query(std::string, query_params) override {
    co_return query_result{};
  }
};

std::string make_folder() {
  std::string name = ::testing::TempDir() + "/pdfsXXXXXX";
  return mkdtemp(name.data());
}

class pdf_batch_trial : public ::testing::Test {
 protected:
  pdf_batch_trial() {
    job_.columns = {{"job_id", "test-1"}, {"pdf_path", "uploads/test-1/document.pdf"}};
    job_.now = std::chrono::system_clock::time_point(std::chrono::seconds(1'770'877'485));
    store("uploads/test-1/document.pdf", "%PDF-1.7 ...");
    calls_.count_pages = [this](fs::path file) -> asio::awaitable<int> {
      seen_file_ = file;
      ++counted_;
      if (!refusal_.empty()) throw child::error(child::failure::refused, refusal_);
      if (no_child_at_ == 0) throw child::error(child::failure::unavailable, "no child");
      co_return pages_;
    };
    calls_.analyse_page = [this](fs::path, int page) -> asio::awaitable<pdf::page_analysis> {
      analysed_.push_back(page);
      if (page == no_child_at_) throw child::error(child::failure::unavailable, "no child");
      if (page == bad_page_) throw child::error(child::failure::crashed, "the page is broken");
      pdf::page_analysis out;
      out.page = page;
      out.text = "page " + std::to_string(page);
      co_return out;
    };
  }
  ~pdf_batch_trial() override { fs::remove_all(folder_); }

  void store(const std::string& key, const std::string& bytes) {
    const fs::path path = folder_ + "/" + key;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }
  testing::trial_run run() {
    handler serve(all_, calls_);
    const coroutine_handler handle = [&](job& self) { return serve.run(self); };
    return job_.run(handle);
  }
  json result() {
    std::ifstream file(folder_ + "/results/test-1/result.json");
    return json::parse(file, nullptr, false);
  }
  static std::string error_of(const testing::trial_run& run) {
    return run.returned ? std::get<failed>(*run.returned).error : run.error;
  }
  static bool is_final(const testing::trial_run& run) {
    return run.returned && std::holds_alternative<failed>(*run.returned) &&
           std::get<failed>(*run.returned).final;
  }

  const std::string folder_ = make_folder();
  asio::io_context io_;
  services engine_{io_.get_executor(), std::make_shared<no_database>(),
                   std::make_shared<logger>(log_level::off)};
  workload_services all_{engine_, environment({{"LOCAL_STORAGE_PATH", folder_}})};
  pdf_calls calls_;
  int pages_ = 3;
  int bad_page_ = 0;
  /// The page, or 0 for the count of pages.
  int no_child_at_ = -1;
  std::string refusal_;
  int counted_ = 0;
  fs::path seen_file_;
  std::vector<int> analysed_;
  testing::trial job_;
};

TEST_F(pdf_batch_trial, reports_in_the_documents_words_and_writes_the_result) {
  const auto made = run();
  ASSERT_TRUE(made.succeeded()) << made.error;
  std::vector<std::string> messages;
  std::int64_t last = 0;
  for (const auto& each : made.progress) {
    messages.push_back(each.message);
    EXPECT_GE(each.done, last);
    last = each.done;
  }
  EXPECT_THAT(messages, ::testing::ElementsAre("Processing started...", "Processing started...",
                                               "Page 1/3 analyzing...", "Page 2/3 analyzing...",
                                               "Page 3/3 analyzing...", "Processing completed!"));
  const auto out = result();
  EXPECT_EQ(out["job_id"], "test-1");
  EXPECT_EQ(out["pages"], 3);
  EXPECT_EQ(out["page_details"][2]["text"], "page 3");
  EXPECT_FALSE(fs::exists(seen_file_)) << "the working copy was left behind";
}

TEST_F(pdf_batch_trial, goes_on_with_the_pages_that_are_missing) {
  job_.stored["open"] = {{"pages", 4}, {"bytes", 12}, {"started_at", 1'770'877'000'000}};
  job_.stored["page 1"] = {{"page", 1}};
  job_.stored["page 2"] = {{"page", 2}};
  const auto made = run();
  ASSERT_TRUE(made.succeeded()) << made.error << error_of(made);
  EXPECT_EQ(counted_, 0);
  EXPECT_THAT(analysed_, ::testing::ElementsAre(3, 4));
  ASSERT_FALSE(made.progress.empty());
  EXPECT_EQ(made.progress.front().done, 2) << "the progress fell";
  EXPECT_EQ(made.progress.front().message, "Page 2/4 analyzing...");
  EXPECT_EQ(result()["processing_time_seconds"], 485.0);
}

TEST_F(pdf_batch_trial, an_error_is_final_and_has_its_trace) {
  bad_page_ = 2;
  const auto made = run();
  ASSERT_TRUE(is_final(made));
  EXPECT_THAT(error_of(made), HasSubstr("page 2: the page is broken"));
  EXPECT_THAT(error_of(made), HasSubstr("Trace:\n  analyse page 2/3\n"));
  EXPECT_THAT(error_of(made), HasSubstr("uploads/test-1/document.pdf"));
  EXPECT_FALSE(fs::exists(folder_ + "/results"));
  EXPECT_FALSE(fs::exists(seen_file_));
}

TEST_F(pdf_batch_trial, without_a_child_process_it_waits_and_goes_on) {
  for (const int at : {0, 2}) {
    no_child_at_ = at;
    const auto made = run();
    ASSERT_TRUE(made.returned) << made.error;
    ASSERT_TRUE(std::holds_alternative<snoozed>(*made.returned)) << error_of(made);
    EXPECT_GT(std::get<snoozed>(*made.returned).after, std::chrono::seconds(1));
    EXPECT_FALSE(fs::exists(seen_file_));
  }
  no_child_at_ = -1;
  EXPECT_TRUE(run().succeeded());
}

TEST_F(pdf_batch_trial, a_file_that_is_refused_or_not_there_is_a_reason) {
  refusal_ = "the document is encrypted";
  EXPECT_THAT(error_of(run()), HasSubstr("the document is encrypted\nTrace:\n  count the pages"));
  job_.columns["pdf_path"] = "uploads/none.pdf";
  const auto missing = run();
  EXPECT_TRUE(is_final(missing));
  EXPECT_THAT(error_of(missing), HasSubstr("the storage has no file uploads/none.pdf"));
}

TEST_F(pdf_batch_trial, a_path_that_leads_out_of_the_storage_is_refused_here_too) {
  std::ofstream(folder_ + "/../secret.pdf") << "%PDF";
  fs::create_symlink("/etc/hostname", folder_ + "/link.pdf");
  for (const char* path : {"../secret.pdf", "/etc/hostname", "link.pdf", "%2e%2e/secret.pdf",
                           "uploads/../../secret.pdf"}) {
    job_.columns["pdf_path"] = path;
    EXPECT_TRUE(is_final(run())) << path;
  }
  fs::remove(folder_ + "/../secret.pdf");
  EXPECT_EQ(counted_, 0);
}

TEST_F(pdf_batch_trial, a_file_that_changed_meanwhile_is_not_mixed) {
  job_.stored["page 1"] = {{"page", 1}};
  bad_page_ = 2;
  EXPECT_TRUE(is_final(run()));
  bad_page_ = 0;
  analysed_.clear();
  // As many bytes.
  store("uploads/test-1/document.pdf", "%PDF-1.8 ...");
  const auto made = run();
  EXPECT_TRUE(is_final(made));
  EXPECT_THAT(error_of(made), HasSubstr("the file has changed"));
  EXPECT_THAT(analysed_, IsEmpty());
}

TEST_F(pdf_batch_trial, a_storage_that_takes_no_result_is_a_reason_and_leaves_nothing) {
  // A file where the folder of results should be.
  store("results", "in the way");
  const auto made = run();
  EXPECT_TRUE(is_final(made));
  EXPECT_THAT(error_of(made), HasSubstr("write results/test-1/result.json to the storage"));
  EXPECT_THAT(made.steps, SizeIs(4));  // open and the pages
}

TEST_F(pdf_batch_trial, a_stop_passes_at_every_await) {
  for (int at = 1; at <= 8; ++at) {
    job_.stored.clear();
    job_.stop_at(at);
    const auto made = run();
    EXPECT_TRUE(made.stopped) << at << ' ' << error_of(made);
    EXPECT_FALSE(fs::exists(seen_file_)) << at;
    EXPECT_TRUE(run().succeeded()) << at;
  }
}

}  // namespace
}  // namespace rowrunner::pdf_batch
