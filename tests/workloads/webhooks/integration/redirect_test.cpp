// Receivers that answer elsewhere, as Google Apps Script does, and those that lead astray.

#include <atomic>

#include "support/inner_addresses.hpp"
#include "workloads/webhooks/support/webhook_fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

class webhook_redirect : public webhook_fixture {
 protected:
  void redirect(const std::string& from, int status, const std::string& to) {
    receiver.on(from, [status, to](http_exchange& x) { x.answer(status, "", {{"Location", to}}); });
  }
  std::size_t calls(const std::string& to) const { return receiver.calls(to).size(); }
};

TEST_F(webhook_redirect, the_answer_is_fetched_without_body_and_token) {
  redirect("POST /exec", 302, "/echo?user=1");
  receiver.on("GET /echo", [](http_exchange& x) { x.answer(200, "done"); });
  const auto id = enqueue("/exec", "token => 't', token_member => 'token'");
  start_worker();
  ASSERT_TRUE(reaches(id, "succeeded"));
  ASSERT_EQ(receiver.calls().size(), 2u);
  const auto got = receiver.calls().at(1);
  EXPECT_EQ(got.target, "/echo?user=1");
  EXPECT_EQ(got.body, "");
  for (const char* name : {"Authorization", "webhook-id", "webhook-signature", "Content-Type"}) {
    EXPECT_EQ(got.header(name), "") << name;
  }
  EXPECT_EQ(column(id, "answer_status || answer_body"), "200done");
}

TEST_F(webhook_redirect, an_answer_that_cannot_be_fetched_never_repeats_the_event) {
  redirect("POST /exec", 302, "/echo");
  std::atomic<int> asked = 0;
  receiver.on("GET /echo", [&](http_exchange& x) { x.answer(++asked < 3 ? 500 : 200); });
  const auto id = enqueue("/exec");
  start_worker();
  ASSERT_TRUE(reaches(id, "succeeded"));
  EXPECT_EQ(calls("POST /exec"), 1u);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(column(id, "attempts"), "2");
}

TEST_F(webhook_redirect, sending_again_by_hand_does_repeat_it) {
  redirect("POST /exec", 302, "/echo");
  receiver.on("GET /echo", [&](http_exchange& x) { x.answer(404); });
  const auto id = enqueue("/exec");
  db.exec("UPDATE webhook_deliveries SET max_attempts = 1");
  start_worker();
  ASSERT_TRUE(reaches(id, "failed"));
  EXPECT_THAT(column(id, "last_error"), HasSubstr("the event was taken (302), but its answer"));
  receiver.on("GET /echo", [&](http_exchange& x) { x.answer(200); });
  EXPECT_EQ(db.value("SELECT send_webhook_again('" + id + "')"), "t");
  ASSERT_TRUE(reaches(id, "succeeded"));
  EXPECT_EQ(calls("POST /exec"), 2u);
  EXPECT_EQ(receiver.calls().front().header("webhook-id"), "msg_" + id);
  EXPECT_EQ(receiver.calls("POST /exec").back().header("webhook-id"), "msg_" + id);
}

TEST_F(webhook_redirect, a_moved_receiver_gets_the_event_with_its_token) {
  redirect("POST /old", 308, "/new");
  receiver.on("POST /new", [](http_exchange& x) { x.answer(200); });
  const auto id = enqueue("/old", "token => 't'");
  start_worker();
  ASSERT_TRUE(reaches(id, "succeeded"));
  const auto call = receiver.calls("POST /new").at(0);
  EXPECT_EQ(call.body, R"({"n":1})");
  EXPECT_EQ(call.header("Authorization"), "Bearer t");
}

TEST_F(webhook_redirect, another_server_gets_the_event_without_the_bearer) {
  http_stand_in other;
  other.on("POST /new", [](http_exchange& x) { x.answer(200); });
  redirect("POST /old", 307, other.url("/new"));
  const auto id = enqueue("/old", "token => 's3cret', token_member => 'token'");
  start_worker();
  ASSERT_TRUE(reaches(id, "succeeded"));
  EXPECT_THAT(receiver.calls("POST /old").at(0).body, HasSubstr("s3cret"));
  EXPECT_EQ(other.calls().at(0).header("Authorization"), "");
  EXPECT_EQ(other.calls().at(0).body, R"({"n":1})") << "nor the token in the body";
}

TEST_F(webhook_redirect, loops_end_after_three_hops) {
  redirect("POST /loop", 307, "/loop");
  redirect("POST /exec", 302, "/round");
  redirect("GET /round", 302, "/round");
  redirect("POST /moved", 307, "/then");
  redirect("POST /then", 302, "/circle");
  redirect("GET /circle", 302, "/circle");
  const auto repeated = enqueue("/loop"), fetched = enqueue("/exec"), mixed = enqueue("/moved");
  db.exec("UPDATE webhook_deliveries SET max_attempts = 1");
  start_worker();
  ASSERT_TRUE(reaches(repeated, "failed"));
  ASSERT_TRUE(reaches(fetched, "failed"));
  ASSERT_TRUE(reaches(mixed, "failed"));
  EXPECT_EQ(calls("POST /loop"), 4u);
  EXPECT_EQ(calls("POST /exec"), 1u);
  EXPECT_EQ(calls("GET /round"), 3u);
  EXPECT_EQ(calls("POST /moved") + calls("POST /then"), 2u);
  EXPECT_EQ(calls("GET /circle"), 2u) << "three hops in all";
  EXPECT_THAT(column(repeated, "last_error"), HasSubstr("redirects more than 3 times"));
}

TEST_F(webhook_redirect, to_an_inner_address_is_refused_for_good) {
  redirect("POST /metadata", 302, "http://169.254.169.254/latest/meta-data/");
  redirect("POST /private", 307, "http://10.0.0.1/");
  redirect("POST /six", 302, "http://[::1]:80/");
  std::vector<std::string> ids;
  for (const char* path : {"/metadata", "/private", "/six"}) ids.push_back(enqueue(path));
  start_worker();
  for (const auto& id : ids) {
    ASSERT_TRUE(reaches(id, "failed"));
    EXPECT_EQ(column(id, "attempts"), "1");
    EXPECT_THAT(column(id, "last_error"), HasSubstr("address is refused"));
  }
}

TEST_F(webhook_redirect, to_each_inner_address_is_refused) {
  std::vector<std::string> ids;
  for (const auto& host : inner_addresses()) {
    if (host == "127.0.0.1" || host == "127.255.255.255") continue;
    const auto path = "/to" + std::to_string(ids.size());
    redirect("POST " + path, ids.size() % 2 == 0 ? 302 : 307, "http://" + host + "/");
    ids.push_back(enqueue(path));
  }
  start_worker();
  for (const auto& id : ids) {
    ASSERT_TRUE(reaches(id, "failed")) << column(id, "url");
    EXPECT_THAT(column(id, "last_error"), HasSubstr("address is refused"));
  }
}

}  // namespace
}  // namespace rowrunner::testing
