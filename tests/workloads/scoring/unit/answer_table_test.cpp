#include "workloads/scoring/models/answer_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rowrunner::scoring {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using enum reply_kind;

http::response answer(int status, std::string body = "", http::header_list headers = {}) {
  http::response out;
  out.status = status;
  out.body = std::move(body);
  out.headers = std::move(headers);
  return out;
}

reply_kind kind(int status, const std::string& body = "") {
  return refusal(answer(status, body), "x").kind;
}

TEST(answer_table, says_what_every_status_means) {
  EXPECT_EQ(kind(400), row_fails);
  for (const int status : {401, 402, 403, 404, 301, 307}) EXPECT_EQ(kind(status), key_dead);
  for (const int status : {408, 409, 425, 500, 502, 503, 504, 520}) EXPECT_EQ(kind(status), retry);
  for (const int status : {413, 422, 418}) EXPECT_EQ(kind(status), row_fails);
  EXPECT_EQ(kind(429), busy);
  EXPECT_EQ(kind(529), busy);
}

TEST(answer_table, a_spent_quota_is_no_wait) {
  EXPECT_EQ(kind(429, R"({"error": {"code": "insufficient_quota", "message": "pay"}})"), key_dead);
  EXPECT_EQ(kind(429, R"({"error": {"type": "insufficient_quota"}})"), key_dead);
  EXPECT_EQ(kind(429, R"({"error": {"code": "rate_limit_exceeded"}})"), busy);
  EXPECT_EQ(kind(429, R"({"error": {"status": "RESOURCE_EXHAUSTED", "details": [
      {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [
        {"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}})"),
            key_dead);
}

TEST(answer_table, a_key_that_is_not_valid_is_dead_whatever_the_status) {
  EXPECT_EQ(kind(400, R"({"error": {"code": 400, "status": "INVALID_ARGUMENT", "details": [
      {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]}})"),
            key_dead);
}

TEST(answer_table, reads_the_wait_from_wherever_it_stands) {
  const auto wait = [](http::header_list headers, const std::string& body = "") {
    return refusal(answer(429, body, std::move(headers)), "x").after;
  };
  const auto header = [](const char* name, const char* value) {
    http::header_list out;
    out.add(name, value);
    return out;
  };
  const std::string info = R"([{"error": {"status": "RESOURCE_EXHAUSTED", "details": [
      {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "13.5s"}]}}])";
  EXPECT_EQ(wait(header("Retry-After", "7")), 7s);
  EXPECT_EQ(wait(header("retry-after-ms", "250")), 250ms);
  EXPECT_EQ(wait(header("x-ratelimit-reset-requests", "6m0s")), 6min);
  EXPECT_EQ(wait({}, info), 13'500ms);
  EXPECT_EQ(wait(header("Retry-After", "2"), info), 2s);
  EXPECT_EQ(wait(header("Retry-After", "0")), std::nullopt);
  EXPECT_EQ(wait(header("Retry-After", "-1")), std::nullopt);
  EXPECT_EQ(wait(header("x-ratelimit-reset-requests", "-1")), std::nullopt);
  EXPECT_EQ(wait(header("Retry-After", "99999")), 10min);
  EXPECT_EQ(wait({}, "<html>"), std::nullopt);
}

TEST(answer_table, a_503_that_says_when_to_come_back_is_busy) {
  http::header_list headers;
  headers.add("Retry-After", "3");
  EXPECT_EQ(refusal(answer(503, "", headers), "x").kind, busy);
}

TEST(answer_table, has_the_words_of_the_service_in_one_short_text) {
  const auto text = refusal(answer(400, R"({"error": {"message": "too\nlong"}})"), "gemini").text;
  EXPECT_THAT(text, HasSubstr("gemini answered 400: too"));
  EXPECT_EQ(refusal(answer(500, R"({"error": "down"})"), "x").text, "x answered 500: down");
  EXPECT_EQ(refusal(answer(500, "<html>"), "x").text, "x answered 500");
  const auto huge = R"({"error": {"message": ")" + std::string(100'000, 'a') + "\"}}";
  EXPECT_LT(refusal(answer(500, huge), "x").text.size(), 600u);
}

TEST(answer_table, calls_without_an_answer) {
  using http::error_kind;
  const auto of = [](error_kind which) { return no_answer(http::error(which, "e")); };
  for (const auto which : {error_kind::connect, error_kind::resolve, error_kind::timeout,
                           error_kind::truncated, error_kind::protocol, error_kind::too_large}) {
    EXPECT_EQ(of(which).kind, retry);
  }
  EXPECT_EQ(of(error_kind::bad_url).kind, key_dead);
  EXPECT_TRUE(of(error_kind::timeout).maybe_paid);
  EXPECT_TRUE(of(error_kind::truncated).maybe_paid);
  EXPECT_FALSE(of(error_kind::connect).maybe_paid);
}

TEST(answer_table, durations_as_services_write_them) {
  EXPECT_EQ(read_duration("1.5s"), 1500ms);
  EXPECT_EQ(read_duration("1h2m3s"), 1h + 2min + 3s);
  EXPECT_EQ(read_duration("20"), 20s);
  EXPECT_EQ(read_duration("12ms"), 12ms);
  for (const char* bad : {"", "x", "1y", "-5s", "1e99s", "s"}) {
    EXPECT_EQ(read_duration(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace rowrunner::scoring
