#include "workloads/webhooks/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rowrunner::webhooks {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const auto from = http::parse_url("https://receiver.example/hook");
const std::chrono::system_clock::time_point now{};

http::response answer(int status, std::string body = {}, const std::string& name = {},
                      const std::string& value = {}) {
  http::response out;
  out.status = status;
  out.body = std::move(body);
  if (!name.empty()) out.headers.add(name, value);
  return out;
}

verdict judged(const http::response& what, success by = success::by_status, int redirects = 0) {
  return judge(what, from, by, redirects, now);
}

TEST(webhook_verdict, every_2xx_is_a_delivery) {
  for (const int status : {200, 201, 202, 204, 299}) {
    EXPECT_EQ(judged(answer(status)).next, next_step::done) << status;
  }
}

TEST(webhook_verdict, all_else_is_tried_again_but_410) {
  for (const int status : {304, 400, 401, 403, 404, 405, 408, 429, 500, 502, 503}) {
    const auto found = judged(answer(status, "no"));
    EXPECT_EQ(found.next, next_step::try_again) << status;
    EXPECT_THAT(found.reason, HasSubstr(std::to_string(status) + ": no"));
  }
  EXPECT_EQ(judged(answer(410)).next, next_step::give_up);
}

TEST(webhook_verdict, a_receiver_says_when_to_come_back) {
  EXPECT_EQ(judged(answer(429, "", "Retry-After", "120")).after, 120s);
  EXPECT_EQ(judged(answer(503, "", "Retry-After", "7")).after, 7s);
  EXPECT_EQ(judged(answer(500)).after, std::nullopt);
}

TEST(webhook_verdict, the_answer_of_a_taken_event_is_elsewhere) {
  for (const int status : {301, 302, 303}) {
    const auto found = judged(answer(status, "", "Location", "https://echo.example/a?b=c"));
    EXPECT_EQ(found.next, next_step::ask_there) << status;
    ASSERT_TRUE(found.where);
    EXPECT_EQ(found.where->target, "/a?b=c");
  }
  EXPECT_EQ(judged(answer(302)).next, next_step::try_again) << "without an address";
}

TEST(webhook_verdict, a_moved_receiver_gets_the_same_request) {
  for (const int status : {307, 308}) {
    const auto found = judged(answer(status, "", "Location", "/other"));
    EXPECT_EQ(found.next, next_step::repeat) << status;
    EXPECT_EQ(found.where->server.host, "receiver.example");
  }
}

TEST(webhook_verdict, redirects_end) {
  const auto again = answer(302, "", "Location", "/again");
  EXPECT_EQ(judged(again, success::by_status, 2).next, next_step::ask_there);
  const auto enough = judged(again, success::by_status, 3);
  EXPECT_EQ(enough.next, next_step::try_again);
  EXPECT_THAT(enough.reason, HasSubstr("more than 3 times"));
}

TEST(webhook_verdict, redirects_to_plain_http_and_to_nonsense_are_not_followed) {
  EXPECT_THAT(judged(answer(302, "", "Location", "http://echo.example/")).reason,
              HasSubstr("https to http"));
  EXPECT_THAT(judged(answer(302, "", "Location", "gopher://x")).reason, HasSubstr("no address"));
}

TEST(webhook_verdict, a_good_status_can_hide_a_failure_if_the_delivery_asks_for_it) {
  const auto refused = answer(200, R"({"ok":false,"error":"bad token"})");
  EXPECT_EQ(judged(refused).next, next_step::done);
  const auto found = judged(refused, success::by_body);
  EXPECT_EQ(found.next, next_step::try_again);
  EXPECT_THAT(found.reason, HasSubstr("bad token"));
  EXPECT_EQ(judged(answer(200, R"({"success": false})"), success::by_body).next,
            next_step::try_again);
  EXPECT_EQ(judged(answer(200, " \n<!DOCTYPE html><html>"), success::by_body).next,
            next_step::try_again);
  EXPECT_EQ(
      judged(answer(200, "Error", "Content-Type", "text/html; charset=utf-8"), success::by_body)
          .next,
      next_step::try_again);
  for (const char* good : {"", "ok", R"({"ok":true})", R"({"ok":1})", "[false]", R"({"ok":)"}) {
    EXPECT_EQ(judged(answer(200, good), success::by_body).next, next_step::done) << good;
  }
}

TEST(webhook_verdict, an_answer_that_was_cut_off_is_good_only_if_it_says_so_first) {
  const std::string filler(kept_of_answer, 'x');
  const auto cut = [&](const std::string& begin) {
    return judged(answer(200, (begin + filler).substr(0, kept_of_answer)), success::by_body);
  };
  EXPECT_THAT(cut(R"({"ok":false,"log":")").reason, HasSubstr("the receiver refused it"));
  EXPECT_EQ(cut(R"({"ok":true,"log":")").next, next_step::done);
  EXPECT_THAT(cut(R"({"log":")").reason, HasSubstr("does not say within 65536 bytes"));
  EXPECT_THAT(cut(R"({"log":{"ok":true,"text":")").reason, HasSubstr("does not say"));
  EXPECT_EQ(cut("plain text ").next, next_step::done);
}

TEST(webhook_verdict, a_refusal_is_found_however_deep_the_rest_is) {
  const std::string deep(200, '[');
  const auto text = R"({"ok":false,"trace":)" + deep + std::string(200, ']') + "}";
  EXPECT_EQ(judged(answer(200, text), success::by_body).next, next_step::try_again);
}

TEST(webhook_verdict, a_call_without_an_answer_is_tried_again_unless_its_address_is_refused) {
  const auto failed = [](http::error_kind kind, bool in_time) {
    return judge(http::error(kind, "x"), in_time, 30s);
  };
  EXPECT_EQ(failed(http::error_kind::refused, true).next, next_step::give_up);
  EXPECT_EQ(failed(http::error_kind::no_answer, true).next, next_step::try_again);
  EXPECT_EQ(failed(http::error_kind::too_large, true).next, next_step::try_again);
  EXPECT_THAT(failed(http::error_kind::no_answer, false).reason, HasSubstr("30000 ms"));
}

}  // namespace
}  // namespace rowrunner::webhooks
