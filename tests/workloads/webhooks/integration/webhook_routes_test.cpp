// Deliveries over HTTP: what was not delivered, and sending it again.
#include <gmock/gmock.h>

#include "api/server_fixture.hpp"
#include "api/test_server.hpp"
#include "workloads/webhooks/routes.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class webhook_routes : public ::testing::Test {
 protected:
  webhook_routes() {
    for (const char* role : {"user", "viewer", "operator"}) tokens_[role] = db_.token(role, role);
    for (const char* name : {"one", "two", "three"}) {
      ids_.push_back(db_.value("SELECT enqueue_webhook('https://a.example/" + std::string(name) +
                               "', '{\"n\": 1}', event => 'T', token => 's3cret', source => '" +
                               name + "')"));
    }
  }

  static std::vector<api::route> routes() {
    static boost::asio::io_context io;
    auto all = api::all_routes();
    for (auto& each : webhooks::make_routes(io.get_executor(), environment({}))) {
      all.push_back(std::move(each));
    }
    return all;
  }
  http_reply call(const std::string& method, const std::string& path,
                  const std::string& role = "operator") {
    return ask(server_.port(), method, path, bearer(tokens_.at(role)));
  }
  json get(const std::string& path) {
    const auto reply = call("GET", path);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body);
  }
  void fail(const std::string& id) {
    db_.exec(
        "UPDATE webhook_deliveries SET status = 'failed', attempts = 10,"
        " last_error = 'the receiver answered 500', answer_status = 500, answer_body = 'no'"
        " WHERE id = '" +
        id + "'");
  }
  std::string status(const std::string& id) {
    return db_.value("SELECT status FROM webhook_deliveries WHERE id = '" + id + "'");
  }

  workloads_database db_;
  std::map<std::string, std::string> tokens_;
  std::vector<std::string> ids_;
  test_server server_{{}, routes(), db_.url()};
};

TEST_F(webhook_routes, what_was_given_up_is_listed_page_by_page) {
  EXPECT_EQ(get("/api/webhooks/undelivered").at("items"), json::array());
  for (const auto& id : ids_) fail(id);
  const auto first = get("/api/webhooks/undelivered?limit=2");
  ASSERT_EQ(first.at("items").size(), 2u);
  EXPECT_EQ(first.at("items")[0].at("id"), ids_[2]) << "the latest first";
  const auto next = first.at("next").get<std::string>();
  const auto second = get("/api/webhooks/undelivered?limit=2&after=" + next);
  ASSERT_EQ(second.at("items").size(), 1u);
  const auto item = second.at("items")[0];
  EXPECT_EQ(item.at("id"), ids_[0]);
  EXPECT_EQ(item.at("event_id"), "msg_" + ids_[0]);
  EXPECT_EQ(item.at("last_error"), "the receiver answered 500");
  EXPECT_EQ(second.at("next"), nullptr);
  EXPECT_EQ(get("/api/webhooks/undelivered?source=two").at("items").size(), 1u);
  EXPECT_EQ(get("/api/webhooks/undelivered?url=https%3A%2F%2Fa.example%2Fone").at("items").size(),
            1u);
  for (const char* bad : {"x", "2026-11-18T00:00:00.000000Z", "/", "'; DROP TABLE x/1"}) {
    EXPECT_EQ(call("GET", "/api/webhooks/undelivered?after=" + std::string(bad)).status, 400);
  }
}

TEST_F(webhook_routes, what_will_be_tried_again_is_listed_with_its_time) {
  db_.exec(
      "UPDATE webhook_deliveries SET attempts = 1, run_at = now() + interval '1 hour',"
      " last_error = 'no' WHERE id = '" +
      ids_[1] + "'");
  const auto items = get("/api/webhooks/retrying").at("items");
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].at("id"), ids_[1]);
  EXPECT_NE(items[0].at("at"), nullptr);
}

TEST_F(webhook_routes, a_delivery_is_shown_without_its_token) {
  const auto reply = call("GET", "/api/webhooks/deliveries/" + ids_[0]);
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.body, Not(HasSubstr("s3cret")));
  const auto shown = json::parse(reply.body);
  EXPECT_EQ(shown.at("token"), "******");
  EXPECT_EQ(shown.at("payload"), json({{"n", 1}}));
  EXPECT_EQ(shown.at("answer"), nullptr);
  EXPECT_EQ(call("GET", "/api/webhooks/deliveries/7").status, 404);
  EXPECT_EQ(call("GET", "/api/webhooks/deliveries/00000000-0000-0000-0000-000000000000").status,
            404);
  const auto row = call("GET", "/api/jobs/webhook_delivery/" + ids_[0]);
  EXPECT_EQ(row.status, 200) << row.body;
  EXPECT_THAT(row.body, Not(HasSubstr("s3cret"))) << "the routes of all jobs show rows";
}

TEST_F(webhook_routes, one_and_all_are_sent_again) {
  for (const auto& id : ids_) fail(id);
  EXPECT_EQ(call("POST", "/api/webhooks/deliveries/" + ids_[0] + "/send-again").status, 200);
  EXPECT_EQ(status(ids_[0]), "queued");
  EXPECT_EQ(call("POST", "/api/webhooks/deliveries/" + ids_[0] + "/send-again").status, 409)
      << "it is being tried";
  const auto all = call("POST", "/api/webhooks/send-again?source=two");
  EXPECT_EQ(json::parse(all.body), json({{"sent", 1}, {"complete", true}}));
  EXPECT_EQ(status(ids_[1]), "queued");
  EXPECT_EQ(status(ids_[2]), "failed");
  EXPECT_EQ(json::parse(call("POST", "/api/webhooks/send-again").body).at("sent"), 1);
}

TEST_F(webhook_routes, about_one_thing_are_listed_in_their_order) {
  const auto items = get("/api/webhooks/about/two").at("items");
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].at("status"), "queued");
}

TEST_F(webhook_routes, about_one_thing_are_listed_page_by_page) {
  db_.exec(
      "SELECT enqueue_webhook('https://a.example/', '{}', source => 'many')"
      " FROM generate_series(1, 5)");
  std::vector<std::string> ids;
  std::string after;
  do {
    const auto page = get("/api/webhooks/about/many?limit=2" + after);
    for (const auto& each : page.at("items")) ids.push_back(each.at("id"));
    after = page.at("next").is_null() ? "" : "&after=" + page.at("next").get<std::string>();
  } while (!after.empty());
  EXPECT_EQ(ids.size(), 5u);
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_EQ(call("GET", "/api/webhooks/about/many?after=x").status, 400);
}

TEST_F(webhook_routes, are_for_roles_that_read_or_change_all) {
  EXPECT_EQ(call("GET", "/api/webhooks/undelivered", "user").status, 403);
  EXPECT_EQ(call("GET", "/api/webhooks/undelivered", "viewer").status, 200);
  EXPECT_EQ(call("POST", "/api/webhooks/send-again", "viewer").status, 403);
}

}  // namespace
}  // namespace rowrunner::testing
