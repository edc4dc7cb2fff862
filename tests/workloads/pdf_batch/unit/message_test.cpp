#include "workloads/pdf_batch/message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rowrunner/bad_input.hpp>

#include "workloads/pdf_batch/pubsub_message.hpp"

namespace rowrunner::pdf_batch {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& text) {
  try {
    parse_message(text);
  } catch (const bad_input& error) {
    return error.what();
  }
  return "";
}

TEST(pdf_batch_message, of_the_document_is_read) {
  const auto given = parse_message(R"({
    "job_id": "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    "pdf_path": "uploads/f47ac10b-58cc-4372-a567-0e02b2c3d479/document.pdf",
    "bucket_name": "local",
    "timestamp": "2026-02-12T06:30:00Z"
  })");
  EXPECT_EQ(given.job_id, "f47ac10b-58cc-4372-a567-0e02b2c3d479");
  EXPECT_EQ(given.pdf_path, "uploads/f47ac10b-58cc-4372-a567-0e02b2c3d479/document.pdf");
  EXPECT_EQ(given.bucket_name, "local");
  EXPECT_EQ(given.timestamp, "2026-02-12T06:30:00Z");
}

TEST(pdf_batch_message, only_job_id_and_pdf_path_are_required) {
  const auto given = parse_message(R"({"job_id":"test-1","pdf_path":"test.pdf","more":[1]})");
  EXPECT_EQ(given.job_id, "test-1");
  EXPECT_FALSE(given.bucket_name);
  EXPECT_FALSE(given.timestamp);
}

TEST(pdf_batch_message, that_is_none_is_refused_with_what_is_wrong) {
  EXPECT_THAT(refusal(R"({"pdf_path":"a.pdf"})"), HasSubstr("no job_id"));
  EXPECT_THAT(refusal(R"({"job_id":"a"})"), HasSubstr("no pdf_path"));
  EXPECT_THAT(refusal(R"({"job_id":1,"pdf_path":"a.pdf"})"), HasSubstr("job_id must be a string"));
  EXPECT_THAT(refusal(R"({"job_id":"a","pdf_path":null})"), HasSubstr("pdf_path must be"));
  EXPECT_THAT(refusal(R"({"job_id":"a","pdf_path":"b","bucket_name":7})"),
              HasSubstr("bucket_name"));
  EXPECT_THAT(refusal("[]"), HasSubstr("must be a JSON object"));
  EXPECT_NE(refusal("{"), "");
  EXPECT_NE(refusal(""), "");
  EXPECT_NE(refusal(std::string(100, '[')), "");
  EXPECT_NE(
      refusal("{\"job_id\":\"a\",\"pdf_path\":\"b\",\"x\":\"" + std::string(70'000, 'x') + "\"}"),
      "");
}

TEST(pdf_batch_message, ids_are_those_that_the_document_allows) {
  for (const std::string good : {"a", "test-1", "A.b_c-9", "...", ".a"}) {
    EXPECT_NO_THROW(check_job_id(good)) << good;
  }
  EXPECT_NO_THROW(check_job_id(std::string(200, 'x')));
  for (const std::string bad : {"", ".", "..", "a/b", "a b", "a\n", "é", "a%2f"}) {
    EXPECT_THROW(check_job_id(bad), bad_input) << bad;
  }
  EXPECT_THROW(check_job_id(std::string(201, 'x')), bad_input);
  EXPECT_THROW(check_job_id(std::string("a\0b", 3)), bad_input);
}

TEST(pdf_batch_message, paths_that_lead_astray_are_refused) {
  for (const std::string good :
       {"test.pdf", "uploads/x/document.pdf", "a/100%.pdf", "日本/報告.pdf"}) {
    EXPECT_NO_THROW(check_pdf_path(good)) << good;
  }
  for (const std::string bad :
       {"", "/etc/passwd", "../a.pdf", "a/../b.pdf", "a/./b.pdf", "a//b.pdf", "a/", "..",
        "a\\b.pdf", "%2e%2e/a.pdf", "a/%2E%2e/b.pdf", "%2fetc/passwd", "a%2f..%2fb.pdf",
        "%252e%252e/a.pdf", "a/%00.pdf", "a/\n.pdf", "file:///etc/passwd", "%25252525252e/a"}) {
    EXPECT_THROW(check_pdf_path(bad), bad_input) << bad;
  }
  EXPECT_THROW(check_pdf_path(std::string("a\0.pdf", 6)), bad_input);
  EXPECT_THROW(check_pdf_path(std::string(1000, 'a')), bad_input);
}

TEST(pdf_batch_message, of_pubsub_is_decoded) {
  const auto pushed = read_push_body(
      R"({"message":{"data":"eyJhIjoxfQ==","messageId":"42","publishTime":"2026-02-12T06:30:00Z",
          "attributes":{"k":"v"}},"subscription":"projects/p/subscriptions/s"})");
  EXPECT_EQ(pushed.wrong, "");
  EXPECT_EQ(pushed.id, "42");
  EXPECT_EQ(pushed.data, R"({"a":1})");
}

TEST(pdf_batch_message, of_pubsub_that_is_none_is_kept_as_it_came) {
  for (const std::string body : {"", "{", "[]", "{}", R"({"message":1})", R"({"message":{}})",
                                 R"({"message":{"data":"!"}})", R"({"message":{"data":5}})"}) {
    const auto pushed = read_push_body(body);
    EXPECT_NE(pushed.wrong, "") << body;
    EXPECT_EQ(pushed.data, body);
  }
}

}  // namespace
}  // namespace rowrunner::pdf_batch
