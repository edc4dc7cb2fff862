// The handler of documents, with the test kit: no database, a storage in a folder, and a provider
// that reads what the test says.
#include "workloads/documents/handler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <rowrunner/testing.hpp>

#include "common/log.hpp"
#include "common/scratch_folder.hpp"

namespace rowrunner::documents {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
namespace asio = boost::asio;
namespace fs = std::filesystem;

constexpr const char* document_id = "550e8400-e29b-41d4-a716-446655440000";

class one_document : public database {
 public:
  asio::awaitable<query_result> query(std::string, query_params) override {
    query_result found;
    if (exists) found.rows.push_back({"documents/a/original.pdf", std::to_string(pages)});
    co_return found;
  }

  bool exists = true;
  int pages = 3;
};

class scripted : public providers::ocr_provider {
 public:
  asio::awaitable<providers::page_text> read(const job_view&, providers::page_input page) override {
    asked.push_back(page.page);
    EXPECT_TRUE(fs::exists(page.file));
    EXPECT_EQ(page.dpi, 120);
    if (page.page == refused) throw providers::service_busy("no calls", std::chrono::minutes(5));
    if (page.page == bad) throw providers::provider_error("smudged", true);
    providers::page_text out;
    out.text = "text of page " + std::to_string(page.page);
    out.is_order = page.page != blank;
    out.confidence = 91.5;
    out.words = nlohmann::json::array({{{"text", "w"}}});
    out.meta = {{"provider", "scripted"}};
    co_return out;
  }
  std::string_view name() const override { return "scripted"; }

  int bad = 0;
  int refused = 0;
  int blank = 0;
  std::vector<int> asked;
};

class document_trial : public ::testing::Test {
 protected:
  document_trial() {
    document_.columns = {{"document_id", document_id}};
    fs::create_directories(folder_.path() / "documents/a");
    std::ofstream(folder_.path() / "documents/a/original.pdf") << "%PDF";
  }

  testing::trial_run run() { return document_.run(handler_); }

  const scratch_folder folder_;
  const std::shared_ptr<one_document> database_ = std::make_shared<one_document>();
  asio::io_context io_;
  services engine_{io_.get_executor(), database_, std::make_shared<logger>(log_level::off)};
  workload_services all_{engine_, environment({{"LOCAL_STORAGE_PATH", folder_.path().string()},
                                               {"OCR_DPI", "120"},
                                               {"OCR_PAGES_AT_ONCE", "2"}})};
  scripted* ocr_ = new scripted;
  handler serve_{all_, std::unique_ptr<providers::ocr_provider>(ocr_)};
  const coroutine_handler handler_ = [this](job& self) { return serve_.run(self); };
  testing::trial document_;
};

TEST_F(document_trial, every_page_has_its_row) {
  ocr_->blank = 2;
  const auto done = run();
  ASSERT_TRUE(done.succeeded()) << done.error;
  ASSERT_THAT(done.steps, SizeIs(3));
  const auto rows = done.effects();
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_THAT(rows[0].sql, HasSubstr("INSERT INTO public.document_pages"));
  EXPECT_THAT(rows[0].params, ElementsAre(document_id, "1", "text of page 1", "false", "91.500000",
                                          R"([{"text":"w"}])", R"({"provider":"scripted"})"));
  EXPECT_EQ(rows[1].params.at(3), "true");
  EXPECT_EQ(done.progress.back().done, 3);
  EXPECT_EQ(done.progress.back().total, 3);
}

TEST_F(document_trial, a_failed_page_fails_the_job_when_the_others_are_read) {
  ocr_->bad = 2;
  const auto done = run();
  ASSERT_TRUE(done.returned);
  const auto& end = std::get<failed>(*done.returned);
  EXPECT_EQ(end.error, "page 2: smudged");
  EXPECT_TRUE(end.final);
  EXPECT_THAT(ocr_->asked, SizeIs(3));
  const auto rows = done.effects();
  ASSERT_THAT(rows, SizeIs(3));
  const auto is_failure = [](const effect& row) { return row.params.size() == 3; };
  const auto row = std::find_if(rows.begin(), rows.end(), is_failure);
  ASSERT_NE(row, rows.end());
  EXPECT_THAT(row->params, ElementsAre(document_id, "2", "smudged"));
  // Again, and only what is missing.
  ocr_->bad = 0;
  ocr_->asked.clear();
  EXPECT_TRUE(run().succeeded());
  EXPECT_THAT(ocr_->asked, ElementsAre(2));
}

TEST_F(document_trial, is_given_back_with_its_pages_while_the_service_takes_no_calls) {
  ocr_->refused = 3;
  const auto done = run();
  ASSERT_TRUE(done.returned) << done.error;
  EXPECT_EQ(std::get<snoozed>(*done.returned).after, std::chrono::minutes(5));
  const auto kept = document_.stored.size();
  ocr_->refused = 0;
  ocr_->asked.clear();
  EXPECT_TRUE(run().succeeded());
  EXPECT_EQ(ocr_->asked.size(), 3 - kept);
}

TEST_F(document_trial, stops_at_any_await_and_goes_on_with_the_missing_pages) {
  const int awaits = run().awaits;
  for (int at = 1; at <= awaits; ++at) {
    document_.stored.clear();
    EXPECT_TRUE(document_.stop_at(at).run(handler_).stopped) << at;
    ocr_->asked.clear();
    const auto missing = 3 - document_.stored.size();
    EXPECT_TRUE(run().succeeded()) << at;
    EXPECT_EQ(ocr_->asked.size(), missing) << at;
  }
}

TEST_F(document_trial, a_document_or_file_that_is_gone_ends_the_job) {
  fs::remove(folder_.path() / "documents/a/original.pdf");
  auto done = run();
  EXPECT_THAT(std::get<failed>(done.returned.value()).error, HasSubstr("not in the storage"));
  database_->exists = false;
  done = run();
  EXPECT_THAT(std::get<failed>(done.returned.value()).error, HasSubstr("does not exist"));
  EXPECT_THAT(ocr_->asked, IsEmpty());
}

TEST(document_failures, say_which_pages) {
  EXPECT_EQ(failure_text({}), "");
  EXPECT_EQ(failure_text({{7, "x"}}), "page 7: x");
  EXPECT_EQ(failure_text({{7, "x"}, {9, "y"}}), "page 7: x (failed pages: 7, 9)");
  std::vector<pages::page_failure> many;
  for (int page = 1; page <= 25; ++page) many.push_back({page, "x"});
  EXPECT_THAT(failure_text(many), HasSubstr("19, 20 and 5 more)"));
}

}  // namespace
}  // namespace rowrunner::documents
