// Calls of a user in a clock hour.
#include <atomic>
#include <thread>

#include "api/server_fixture.hpp"
#include "api/test_server.hpp"

namespace rowrunner::testing {
namespace {

constexpr int tickets_an_hour = 600;

/// Runs it again if the clock hour has changed meanwhile.
template <typename Test>
void within_one_hour(test_database& db, Test test) {
  const std::string hour = "SELECT date_trunc('hour', now())";
  for (int attempt = 0; attempt < 2; ++attempt) {
    db.exec("TRUNCATE rowrunner.call_counts");
    const auto begun = db.value(hour);
    const auto failure = test();
    if (db.value(hour) != begun) continue;
    EXPECT_EQ(failure, "");
    return;
  }
  FAIL() << "it took longer than an hour";
}

TEST(api_hourly_limit, is_exact_under_50_callers_on_two_servers) {
  api_database db;
  const auto token = db.token("u", "user"), second = db.token("u", "user");
  const served one(db.url()), other(db.url());
  within_one_hour(db, [&]() -> std::string {
    std::atomic<int> allowed = 0, refused = 0, strange = 0;
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 50; ++caller) {
      callers.emplace_back([&, caller] {
        // Two tokens of one user, who has one limit.
        raw_client client((caller % 2 == 0 ? one : other).port());
        for (int call = 0; call < 14; ++call) {
          const auto reply =
              client.call("POST", "/api/tickets", bearer(caller % 3 == 0 ? token : second));
          ++(reply.status == 201 ? allowed : reply.status == 429 ? refused : strange);
        }
      });
    }
    for (auto& each : callers) each.join();
    if (allowed == tickets_an_hour && refused == 700 - tickets_an_hour && strange == 0) return "";
    return std::to_string(allowed) + " allowed, " + std::to_string(refused) + " refused, " +
           std::to_string(strange) + " others";
  });
}

TEST(api_hourly_limit, says_when_to_come_back_and_starts_again_with_the_hour) {
  api_database db;
  const auto token = db.token("u", "user"), another = db.token("w", "user");
  test_server server({}, api::all_routes(), db.url());
  const auto call = [&](const std::string& as) {
    return ask(server.port(), "POST", "/api/tickets", bearer(as));
  };
  within_one_hour(db, [&]() -> std::string {
    EXPECT_EQ(call(token).status, 201);
    db.exec("UPDATE rowrunner.call_counts SET calls = 600");
    const auto refused = call(token);
    if (refused.status != 429) return "allowed";
    const int wait = std::stoi(refused.header("retry-after"));
    EXPECT_TRUE(wait >= 1 && wait <= 3600) << wait;
    EXPECT_THAT(refused.body, ::testing::HasSubstr("\"code\":\"rate_limited\""));
    EXPECT_EQ(call(another).status, 201);  // another user has calls of their own
    EXPECT_EQ(ask(server.port(), "GET", "/api/session", bearer(token)).status, 200);
    db.exec("UPDATE rowrunner.call_counts SET hour = hour - interval '1 hour'");
    EXPECT_EQ(call(token).status, 201);
    return db.value(
               "SELECT string_agg(user_id || calls, ' ' ORDER BY user_id) "
               "FROM rowrunner.call_counts WHERE endpoint = 'POST /api/tickets'") == "u1 w1"
               ? ""
               : "the new hour did not begin with one call";
  });
}

TEST(api_hourly_limit, sign_ins_are_limited) {
  api_database db;
  const auto token = db.token("u", "user");
  test_server server({}, api::all_routes(), db.url());
  const auto call = [&] {
    return ask(server.port(), "POST", "/api/session", {{"Content-Type", "application/json"}},
               token_body(token));
  };
  within_one_hour(db, [&]() -> std::string {
    EXPECT_EQ(call().status, 200);
    db.exec("UPDATE rowrunner.call_counts SET calls = 60");
    return call().status == 429 ? "" : "allowed";
  });
}

// Closed when in doubt.
TEST(api_hourly_limit, a_call_that_cannot_be_counted_is_not_served) {
  api_database db;
  const auto token = db.token("u", "user");
  api::server_limits limits;
  limits.database_time = std::chrono::milliseconds(300);
  test_server server(limits, api::all_routes(), db.url());
  EXPECT_EQ(ask(server.port(), "POST", "/api/tickets", bearer(token)).status, 201);
  pqxx::connection other(db.url());
  pqxx::work tx(other);
  tx.exec("LOCK TABLE rowrunner.call_counts IN ACCESS EXCLUSIVE MODE");
  EXPECT_EQ(ask(server.port(), "POST", "/api/tickets", bearer(token)).status, 503);
  EXPECT_EQ(ask(server.port(), "GET", "/livez").status, 200);
  tx.abort();
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.tickets"), "1");
}

}  // namespace
}  // namespace rowrunner::testing
