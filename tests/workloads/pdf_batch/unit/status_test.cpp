#include "workloads/pdf_batch/status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workloads/pdf_batch/result.hpp"

namespace rowrunner::pdf_batch {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

job_state state(const std::string& status) {
  job_state out;
  out.job_id = "test-1";
  out.status = status;
  out.updated_at = "2026-02-12T06:35:00.000000Z";
  return out;
}

job_state state(const std::string& status, std::int64_t done, std::int64_t total,
                const std::string& message) {
  auto out = state(status);
  out.done = done;
  out.total = total;
  out.message = message;
  return out;
}

TEST(pdf_batch_status, has_the_six_fields_in_the_order_of_the_document) {
  const auto out = status_json(state("processing", 5, 12, page_message(5, 12)));
  EXPECT_EQ(out.dump(),
            R"({"status":"processing","progress":41,"message":"Page 5/12 analyzing...",)"
            R"("result_url":"","error_msg":"","updated_at":"2026-02-12T06:35:00.000000Z"})");
}

TEST(pdf_batch_status, is_pending_until_it_starts) {
  const auto out = status_json(state("queued"));
  EXPECT_EQ(out["status"], "pending");
  EXPECT_EQ(out["progress"], 0);
  EXPECT_EQ(out["result_url"], "");
}

TEST(pdf_batch_status, starts_with_the_documents_words) {
  for (const auto& each : {state("processing"), state("processing", 0, 0, started_message)}) {
    const auto out = status_json(each);
    EXPECT_EQ(out["status"], "processing");
    EXPECT_EQ(out["progress"], 0);
    EXPECT_EQ(out["message"], "Processing started...");
  }
}

// A job whose worker was lost waits for another one: to its sender it goes on.
TEST(pdf_batch_status, of_a_job_that_waits_after_it_began_is_processing) {
  const auto out = status_json(state("queued", 3, 12, page_message(3, 12)));
  EXPECT_EQ(out["status"], "processing");
  EXPECT_EQ(out["progress"], 25);
  EXPECT_EQ(out["message"], "Page 3/12 analyzing...");
}

TEST(pdf_batch_status, is_not_completed_before_its_end_is_committed) {
  const auto out = status_json(state("processing", 12, 12, completed_message));
  EXPECT_EQ(out["status"], "processing");
  EXPECT_EQ(out["message"], "Page 12/12 analyzing...");
  EXPECT_EQ(out["result_url"], "");
}

TEST(pdf_batch_status, ends_completed_with_the_path_of_the_result) {
  const auto out = status_json(state("succeeded", 12, 12, page_message(12, 12)));
  EXPECT_EQ(out["status"], "completed");
  EXPECT_EQ(out["progress"], 100);
  EXPECT_EQ(out["message"], "Processing completed!");
  EXPECT_EQ(out["result_url"], "results/test-1/result.json");
  EXPECT_EQ(out["error_msg"], "");
}

TEST(pdf_batch_status, ends_failed_with_the_last_progress_and_the_reason) {
  for (const char* word : {"failed", "cancelled"}) {
    auto given = state(word, 7, 10, page_message(7, 10));
    given.last_error = "page 8: broken\nTrace:\n  analyse page 8/10";
    const auto out = status_json(given);
    EXPECT_EQ(out["status"], "failed");
    EXPECT_EQ(out["progress"], 70);
    EXPECT_EQ(out["message"], "Error occurred");
    EXPECT_EQ(out["result_url"], "");
    EXPECT_EQ(out["error_msg"], given.last_error);
  }
}

TEST(pdf_batch_status, is_the_same_in_redis) {
  api::job_state row;
  row.public_id = "test-1";
  row.status = "processing";
  row.updated_at = "2026-02-12T06:35:00.000000Z";
  row.progress = api::job_progress{5, 12, page_message(5, 12)};
  row.last_error = "worker a was lost";
  EXPECT_EQ(mirrored_json(row), status_json(state("processing", 5, 12, page_message(5, 12))));
  row.status = "failed";
  EXPECT_EQ(mirrored_json(row)["error_msg"], "worker a was lost");
}

// What Python makes of int((page / total) * 100): 29/100 is 28.
TEST(pdf_batch_status, rounds_as_the_document_does) {
  EXPECT_EQ(percent(29, 100), 28);
  EXPECT_EQ(percent(1, 3), 33);
  EXPECT_EQ(percent(57, 100), 56);
  EXPECT_EQ(percent(12, 12), 100);
  EXPECT_EQ(percent(0, 0), 0);
  EXPECT_EQ(percent(5, 3), 100);
}

TEST(pdf_batch_result, has_the_documents_fields_and_the_pages) {
  pdf::page_analysis page;
  page.page = 1;
  page.width_pt = 595;
  page.words = 2;
  page.text = "two words";
  const auto began = std::chrono::system_clock::time_point(1'770'877'485s);
  const auto text = result_text("test-1", {page_json(page, 100)}, began, began + 45'204ms);
  const auto out = json::parse(text);
  EXPECT_EQ(out["job_id"], "test-1");
  EXPECT_EQ(out["pages"], 1);
  EXPECT_EQ(out["processed_at"], "2026-02-12T06:25:30.204000Z");
  EXPECT_DOUBLE_EQ(out["processing_time_seconds"].get<double>(), 45.2);
  EXPECT_EQ(out["page_details"][0]["text"], "two words");
  EXPECT_EQ(out["page_details"][0]["words"], 2);
  EXPECT_FALSE(out["page_details"][0].contains("text_truncated"));
}

TEST(pdf_batch_result, stays_bounded_whatever_the_pages_say) {
  pdf::page_analysis page;
  for (int i = 0; i < 1000; ++i) page.text += "日本";
  const auto out = page_json(page, 100);
  EXPECT_LE(out["text"].get<std::string>().size(), 100u);
  EXPECT_EQ(out["text_truncated"], true);
  EXPECT_EQ(text_bytes_per_page(1), 64u * 1024);
  EXPECT_LE(text_bytes_per_page(10'000) * 10'000, 32u * 1024 * 1024);
}

}  // namespace
}  // namespace rowrunner::pdf_batch
