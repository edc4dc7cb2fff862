// The events of the document, and how a job's end is told.

#include "workloads/ocr_relay/events.hpp"

#include <gtest/gtest.h>

namespace rowrunner::ocr_relay {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

page_fact delivered(int page) {
  page_fact out;
  out.page = page;
  out.read = out.delivered = true;
  out.delivery_status = "succeeded";
  return out;
}

job_fact job_of(int pages) { return {"job_1", "abc123", "succeeded", "", pages}; }

TEST(relay_events, a_page_result_is_that_of_the_document) {
  read_page_event page;
  page.job_id = "job_2025-09-18_00001";
  page.order_id = "abc123";
  page.page = 3;
  page.text = page_text(3, "【得意先】...\n【注文明細】...");
  page.meta = page_meta({{"model", "gemini-2.5-flash"}, {"durationMs", 8420}}, "gemini");
  EXPECT_EQ(page_result(page), ordered_json::parse(R"({
    "event": "PAGE_RESULT", "jobId": "job_2025-09-18_00001", "orderId": "abc123", "pageIndex": 3,
    "isNonOrderPage": false, "rawText": "--- PAGE 3 ---\n【得意先】...\n【注文明細】...",
    "meta": {"model": "gemini-2.5-flash", "durationMs": 8420, "tokensInput": 0, "tokensOutput": 0},
    "idempotencyKey": "abc123:3"})"));
}

TEST(relay_events, a_text_has_its_page_once) {
  EXPECT_EQ(page_text(2, "a"), "--- PAGE 2 ---\na");
  EXPECT_EQ(page_text(2, "--- PAGE 2 ---\na"), "--- PAGE 2 ---\na");
  EXPECT_EQ(page_text(2, ""), "--- PAGE 2 ---\n");
}

TEST(relay_events, the_summary_is_that_of_the_document) {
  std::vector<page_fact> pages;
  for (int page = 1; page <= 7; ++page) pages.push_back(delivered(page));
  pages[4].non_order = true;
  const auto made = summarise({"job_2025-09-18_00001", "abc123", "succeeded", "", 7}, pages);
  EXPECT_EQ(made.status, "DONE");
  EXPECT_EQ(made.payload, ordered_json::parse(R"({
    "event": "JOB_SUMMARY", "jobId": "job_2025-09-18_00001", "orderId": "abc123", "totalPages": 7,
    "processedPages": 6, "skippedPages": 1, "errors": [], "status": "DONE"})"));
}

TEST(relay_events, pages_that_failed_and_events_that_were_not_taken_are_errors) {
  auto unread = delivered(2), late = delivered(3), refused = delivered(4);
  unread.read = unread.delivered = false;
  unread.error = "too dark";
  late.delivered = refused.delivered = false;
  late.delivery_status = "queued";
  late.delivery_error = "the receiver answered 500";
  refused.delivery_status = "failed";
  refused.delivery_error = "the receiver is gone for good (410)";
  const auto made = summarise(job_of(4), {delivered(1), unread, late, refused});
  EXPECT_EQ(made.status, "ERROR");
  EXPECT_EQ(made.payload["processedPages"], 1);
  EXPECT_EQ(made.payload["skippedPages"], 3);
  EXPECT_EQ(json::parse(made.payload["errors"].dump()), json::parse(R"json([
    {"pageIndex": 2, "message": "too dark"},
    {"pageIndex": 3, "message": "not delivered in time: the receiver answered 500"},
    {"pageIndex": 4, "message": "not delivered: the receiver is gone for good (410)"}])json"));
}

TEST(relay_events, a_job_that_fails_early_says_why) {
  job_fact job = job_of(0);
  job.status = "failed";
  job.last_error = "the file was not found";
  const auto made = summarise(job, {});
  EXPECT_EQ(made.status, "ERROR");
  EXPECT_EQ(made.payload["totalPages"], 0);
  EXPECT_EQ(made.payload["skippedPages"], 0);
  EXPECT_EQ(made.payload["errors"].dump(),
            R"([{"pageIndex":null,"message":"the file was not found"}])");
}

TEST(relay_events, a_job_that_was_cancelled_names_the_pages_that_it_leaves) {
  job_fact job = job_of(9);
  job.status = "cancelled";
  job.last_error = "cancelled: wrong file";
  const auto made = summarise(job, {delivered(2), delivered(3), delivered(8)});
  EXPECT_EQ(made.status, "ERROR");
  EXPECT_EQ(made.payload["processedPages"], 3);
  EXPECT_EQ(made.payload["skippedPages"], 6);
  EXPECT_EQ(json::parse(made.payload["errors"].dump()), json::parse(R"([
    {"pageIndex": null, "message": "cancelled: wrong file"},
    {"pageIndex": 1, "message": "the page was not read"},
    {"pageIndex": 4, "message": "pages 4 to 7 were not read"},
    {"pageIndex": 9, "message": "the page was not read"}])"));
}

TEST(relay_events, processed_and_skipped_are_all_pages) {
  // Every page in one of the states that it can have, for each number of pages.
  for (int total = 0; total <= 5; ++total) {
    for (int states = 0; states < 1 << (2 * total); ++states) {
      std::vector<page_fact> pages;
      for (int page = 1; page <= total; ++page) {
        const int state = states >> (2 * (page - 1)) & 3;
        auto fact = delivered(page);
        fact.read = state != 1;
        fact.delivered = state != 1 && state != 2;
        fact.non_order = state == 3;
        if (state != 1 || page % 2 == 0) pages.push_back(fact);
      }
      const auto made = summarise(job_of(total), pages);
      EXPECT_EQ(made.payload["processedPages"].get<int>() + made.payload["skippedPages"].get<int>(),
                total);
      EXPECT_EQ(made.status == "DONE", made.payload["errors"].empty());
    }
  }
}

TEST(relay_events, the_words_for_the_state_of_a_job) {
  const std::optional<std::string> none, done("DONE"), error("ERROR");
  EXPECT_EQ(status_word("queued", true, true, none), "RECEIVED");
  EXPECT_EQ(status_word("queued", true, false, none), "ENQUEUED");
  EXPECT_EQ(status_word("queued", false, true, none), "PROCESSING") << "it waits for another try";
  EXPECT_EQ(status_word("processing", false, false, none), "PROCESSING");
  EXPECT_EQ(status_word("succeeded", false, false, none), "PROCESSING") << "pages are on their way";
  EXPECT_EQ(status_word("succeeded", false, false, done), "DONE");
  EXPECT_EQ(status_word("succeeded", false, false, error), "ERROR");
  EXPECT_EQ(status_word("failed", false, false, none), "ERROR");
  EXPECT_EQ(status_word("succeeded", false, false, none, true), "ERROR") << "no summary will come";
  EXPECT_EQ(status_word("processing", false, false, none, true), "PROCESSING");
  EXPECT_EQ(status_word("cancelled", true, false, none), "ERROR");
  EXPECT_EQ(status_word("queued", false, false, error), "PROCESSING") << "queued again by hand";
}

}  // namespace
}  // namespace rowrunner::ocr_relay
