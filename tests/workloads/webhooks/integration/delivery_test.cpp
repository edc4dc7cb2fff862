// Events on their way to a receiver: what it gets, and what becomes of the delivery.

#include <atomic>
#include <set>

#include "support/letters.hpp"
#include "workloads/webhooks/signature.hpp"
#include "workloads/webhooks/support/webhook_fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class webhook_delivery : public webhook_fixture {};

constexpr const char* secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

TEST_F(webhook_delivery, sends_the_payload_with_token_and_signature) {
  set("WEBHOOK_SECRET", secret);
  receiver.on("POST /hook", [](http_exchange& x) { x.answer(200, R"({"ok":true})"); });
  const auto id = enqueue("/hook", "event => 'PAGE', token => 's3cret', token_member => 'token'",
                          R"({"b": 1.10, "a": "語"})");
  start_worker();
  ASSERT_TRUE(reaches(id, "succeeded"));
  const auto call = receiver.calls().at(0);
  EXPECT_EQ(call.body, R"({"b": 1.10, "a": "語","token":"s3cret"})");
  EXPECT_EQ(call.header("Content-Type"), "application/json");
  EXPECT_EQ(call.header("Authorization"), "Bearer s3cret");
  EXPECT_EQ(call.header("webhook-id"), "msg_" + id);
  EXPECT_EQ(call.header("webhook-signature"),
            webhooks::signature(webhooks::parse_keys(secret, "S"), "msg_" + id,
                                call.header("webhook-timestamp"), call.body));
  EXPECT_EQ(column(id, "answer_status || ' ' || answer_body"), R"(200 {"ok":true})");
  EXPECT_EQ(db.value("SELECT count(*) FROM webhook_deliveries d WHERE to_json(d)::text LIKE"
                     " '%s3cret%'"),
            "0")
      << "rows of job tables are shown";
}

TEST_F(webhook_delivery, without_a_token_and_a_secret_has_neither_header) {
  receiver.on("POST /hook", [](http_exchange& x) { x.answer(204); });
  const auto id = enqueue("/hook");
  start_worker();
  ASSERT_TRUE(reaches(id, "succeeded"));
  const auto call = receiver.calls().at(0);
  EXPECT_EQ(call.body, R"({"n":1})");
  EXPECT_EQ(call.header("Authorization"), "");
  EXPECT_EQ(call.header("webhook-signature"), "");
}

TEST_F(webhook_delivery, is_repeated_under_one_id_until_the_receiver_takes_it) {
  std::atomic<int> calls = 0;
  receiver.on("POST /hook", [&](http_exchange& x) {
    const int n = ++calls;
    if (n == 1) return x.answer(500, "down");
    if (n == 2) return x.abort();
    if (n == 3) return x.answer(429, "", {{"Retry-After", "0"}});
    x.answer(200);
  });
  const auto id = enqueue("/hook");
  start_worker();
  ASSERT_TRUE(reaches(id, "succeeded"));
  EXPECT_EQ(column(id, "attempts"), "3");
  std::set<std::string> ids;
  for (const auto& call : receiver.calls()) ids.insert(call.header("webhook-id"));
  EXPECT_EQ(ids, std::set<std::string>{"msg_" + id});
  EXPECT_EQ(
      db.value("SELECT string_agg(left(error, 29), '|' ORDER BY attempt) FROM"
               " rowrunner.attempts"),
      "the receiver answered 500: do|no answer from the receiver: |the receiver answered 429");
}

TEST_F(webhook_delivery, waits_as_long_as_the_receiver_asks) {
  receiver.on("POST /hook", [](http_exchange& x) { x.answer(503, "", {{"Retry-After", "3600"}}); });
  const auto id = enqueue("/hook");
  start_worker();
  ASSERT_TRUE(db.becomes("SELECT attempts FROM webhook_deliveries", "1"));
  EXPECT_EQ(column(id, "run_at - updated_at BETWEEN '59 minutes' AND '73 minutes'"), "t");
}

TEST_F(webhook_delivery, ends_at_410_and_when_the_tries_are_used_up) {
  receiver.on("POST /gone", [](http_exchange& x) { x.answer(410); });
  receiver.on("POST /never", [](http_exchange& x) { x.answer(500); });
  const auto gone = enqueue("/gone"), never = enqueue("/never");
  db.exec("UPDATE webhook_deliveries SET max_attempts = 2");
  start_worker();
  ASSERT_TRUE(reaches(gone, "failed"));
  ASSERT_TRUE(reaches(never, "failed"));
  EXPECT_EQ(column(gone, "attempts || ' ' || last_error"), "1 the receiver is gone for good (410)");
  EXPECT_EQ(column(never, "attempts || ' ' || last_error"), "2 the receiver answered 500");
}

TEST_F(webhook_delivery, reads_the_answer_if_it_is_asked_to) {
  std::atomic<int> calls = 0;
  receiver.on("POST /script", [&](http_exchange& x) {
    const int n = ++calls;
    if (n == 1) return x.answer(200, R"({"ok":false})");
    if (n == 2) return x.answer(200, "<html>TypeError</html>");
    x.answer(200, R"({"ok":true})");
  });
  const auto id = enqueue("/script", "success_by => 'body'");
  start_worker();
  ASSERT_TRUE(reaches(id, "succeeded"));
  EXPECT_EQ(calls, 3);
}

TEST_F(webhook_delivery, an_answer_that_quotes_the_token_is_stored_and_told_without_it) {
  receiver.on("POST /hook", [](http_exchange& x) { x.answer(403, "bad token s3cret"); });
  const auto id = enqueue("/hook", "token => 's3cret', token_member => 'token'");
  db.exec("UPDATE webhook_deliveries SET max_attempts = 1");
  start_worker();
  ASSERT_TRUE(reaches(id, "failed"));
  EXPECT_EQ(column(id, "answer_body"), "bad token ******");
  EXPECT_EQ(column(id, "last_error"), "the receiver answered 403: bad token ******");
  stop_worker();
  EXPECT_THAT(log.text(), Not(HasSubstr("s3cret")));
}

TEST_F(webhook_delivery, the_same_event_key_is_one_delivery) {
  const auto first = enqueue("/hook", "event_key => 'order 7'");
  EXPECT_EQ(enqueue("/hook", "event_key => 'order 7', token => 't'"), first);
  EXPECT_NE(enqueue("/hook", "event_key => 'order 8'"), first);
  EXPECT_EQ(db.value("SELECT count(*) FROM webhook_tokens"), "0");
}

TEST_F(webhook_delivery, tokens_go_with_their_deliveries) {
  const auto id = enqueue("/hook", "token => 't'");
  EXPECT_EQ(db.value("SELECT count(*) FROM webhook_tokens"), "1");
  db.exec("DELETE FROM webhook_deliveries");
  EXPECT_EQ(db.value("SELECT count(*) FROM webhook_tokens"), "0");
}

TEST_F(webhook_delivery, is_kept_for_longer_than_it_is_tried) {
  EXPECT_EQ(db.value("SELECT retention > '75 hours' AND failed_retention > '75 hours'"
                     " FROM rowrunner.kinds WHERE kind = 'webhook_delivery'"),
            "t");
}

// The recipe of docs/webhooks.md for handlers of your own.
TEST_F(webhook_delivery, of_a_handler_of_your_own_commits_with_the_end_of_its_job) {
  receiver.on("POST /hook", [](http_exchange& x) { x.answer(200); });
  db.exec(std::string(letters_schema));
  const auto url = receiver.url("/hook");
  int runs = 0;
  also = [&](worker& to) {
    const coroutine_handler send_letter = [&runs,
                                           url](job& self) -> boost::asio::awaitable<outcome> {
      const nlohmann::json event{{"event", "letter.sent"}, {"letter", self.id()}};
      effect tell{
          "SELECT public.enqueue_webhook($1, $2::json, event => 'letter.sent', event_key => $3)",
          {url, event.dump(), "letter " + self.id()}};
      // A failed attempt tells nothing.
      if (++runs == 1) co_return failed{"no ink", std::chrono::milliseconds(1)};
      co_return succeeded{{tell}};
    };
    kind_options letters;
    letters.kind = "letter";
    to.add(letters, send_letter);
  };
  db.exec("INSERT INTO letter_jobs (batch_id, recipient) VALUES ('may', 'ann')");
  start_worker();
  ASSERT_TRUE(db.becomes("SELECT status FROM webhook_deliveries", "succeeded"));
  EXPECT_EQ(runs, 2);
  const auto letter = db.value("SELECT id FROM letter_jobs WHERE status = 'succeeded'");
  ASSERT_EQ(receiver.calls().size(), 1u);
  EXPECT_EQ(nlohmann::json::parse(receiver.calls()[0].body).at("letter"), letter);
}

}  // namespace
}  // namespace rowrunner::testing
