// `rowrunner serve` and `rowrunner tokens`, as people call them.
#include <atomic>
#include <csignal>
#include <thread>

#include "api/server_fixture.hpp"
#include "support/own_server.hpp"

namespace rowrunner::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(api_serve, without_a_token_it_serves_this_machine_only_and_says_so) {
  api_database db;
  const command run(db);
  EXPECT_THAT(run.error(2, {"serve", "--host", "0.0.0.0", "--port", "0"}),
              HasSubstr("there is no token, so the server would be open to all: make one with "
                        "'rowrunner tokens add"));
  served server(db.url());
  EXPECT_THAT(server.process().err(), HasSubstr("there is no token: everybody on this machine"));
  EXPECT_EQ(ask(server.port(), "GET", "/api/session").body,
            "{\"user\":\"local\",\"role\":\"admin\"}\n");
  run.out({"tokens", "add", "--user", "ann", "--role", "viewer"});
  EXPECT_EQ(ask(server.port(), "GET", "/api/session").status, 401);
  child_process outside({rowrunner_binary(), "serve", "--host", "0.0.0.0", "--port", "0"},
                        {{"DATABASE_URL", db.url()}});
  EXPECT_TRUE(outside.wait_for_output_line("\"listening\".*http://0.0.0.0:"));
  EXPECT_THAT(outside.err(), Not(HasSubstr("there is no token")));
}

TEST(api_serve, stops_on_a_signal_and_takes_the_port_from_the_environment) {
  api_database db;
  int port = 0;
  {
    const served other(db.url());
    port = other.port();
  }
  child_process one({rowrunner_binary(), "serve"},
                    {{"DATABASE_URL", db.url()}, {"PORT", std::to_string(port)}});
  EXPECT_TRUE(one.wait_for_output_line("\"listening\".*http://127.0.0.1:" + std::to_string(port)));
  EXPECT_THAT(command(db).error(1, {"serve", "--port", std::to_string(port)}),
              HasSubstr("cannot be listened on: Address already in use"));
  EXPECT_EQ(ask(port, "GET", "/readyz").status, 200);
  raw_client idle(port);
  EXPECT_EQ(idle.call("GET", "/healthz").status, 200);
  one.kill(SIGTERM);
  EXPECT_EQ(idle.read_to_end(10s), "");
  EXPECT_EQ(one.wait(), 0);
}

TEST(api_serve, refuses_settings_and_databases_that_it_cannot_serve) {
  api_database db;
  const command run(db);
  EXPECT_THAT(run.error(2, {"serve", "--port", "70000"}), HasSubstr("--port must be from 0 to"));
  EXPECT_THAT(run.error(2, {"serve", "--host", "no such host"}), HasSubstr("--host"));
  const auto stranger = db.url_of_new_role();
  EXPECT_THAT(run.error(1, {"serve", "--port", "0", "--database-url", stranger}),
              HasSubstr("GRANT rowrunner_server, rowrunner_app TO the role of the server"));
  db.exec("DELETE FROM rowrunner.migrations WHERE component = 'api'");
  EXPECT_THAT(run.error(1, {"serve", "--port", "0"}), HasSubstr("run 'rowrunner migrate'"));
  db.exec("DROP SCHEMA rowrunner CASCADE");
  EXPECT_THAT(run.error(1, {"serve", "--port", "0"}), HasSubstr("run 'rowrunner migrate'"));
}

TEST(api_serve, finds_a_transaction_mode_pooler_that_it_was_not_told_of) {
  api_database db;
  const auto token = db.token("a", "admin");
  const pooler front(server_url());
  served server(front.through(db.url()));
  EXPECT_THAT(server.process().out() + server.process().err(), HasSubstr("--pooled"));
  served direct(db.url());
  EXPECT_THAT(direct.process().out() + direct.process().err(), Not(HasSubstr("--pooled")));
  std::vector<std::thread> callers;
  std::atomic<int> good = 0;
  for (int caller = 0; caller < 8; ++caller) {
    callers.emplace_back([&] {
      for (int call = 0; call < 10; ++call) {
        good += ask(server.port(), "GET", "/api/session", bearer(token)).status == 200 ? 1 : 0;
      }
    });
  }
  for (auto& each : callers) each.join();
  EXPECT_EQ(good, 80);
}

// Health does not wait for a database that is away, and requests are refused, not let through.
TEST(api_serve, answers_while_the_database_is_away_and_when_it_is_back) {
  own_server server_of_its_own;
  setenv("ROWRUNNER_TEST_URL", server_of_its_own.url().c_str(), 1);
  {
    api_database db;
    const auto token = db.token("a", "admin");
    const served server(db.url());
    const auto stranger = db.token("v", "viewer");
    EXPECT_EQ(ask(server.port(), "POST", "/api/tickets", bearer(token)).status, 201);
    EXPECT_EQ(ask(server.port(), "GET", "/api/overview", bearer(token)).status, 200);
    server_of_its_own.crash();
    // Who could read it a moment ago gets what was read then.
    const auto last = ask(server.port(), "GET", "/api/overview", bearer(token));
    EXPECT_EQ(last.status, 200);
    EXPECT_EQ(ask(server.port(), "GET", "/api/overview", bearer(stranger)).status, 503);
    EXPECT_EQ(ask(server.port(), "GET", "/livez").status, 200);
    EXPECT_EQ(ask(server.port(), "POST", "/api/tickets", bearer(token)).status, 503);
    EXPECT_EQ(ask(server.port(), "GET", "/api/session", bearer(token)).status, 503);
    server_of_its_own.start();
    db.reconnect();
    // Until a connection is made again: attempts have pauses between them.
    int status = 503;
    while (status == 503) {
      status = ask(server.port(), "POST", "/api/tickets", bearer(token)).status;
    }
    EXPECT_EQ(status, 201);
  }
  unsetenv("ROWRUNNER_TEST_URL");
}

TEST(api_tokens, are_printed_once_listed_and_revoked) {
  api_database db;
  const command run(db);
  EXPECT_THAT(run.out({"tokens", "list"}), HasSubstr("no tokens"));
  const auto out = run.out({"tokens", "add", "--user", "ann", "--role", "viewer", "--name", "pc"});
  const auto token = out.substr(out.rfind('\n', out.size() - 2) + 1);
  EXPECT_THAT(token, ContainsRegex("^rr_1_[A-Za-z0-9_-]{43}\n$"));
  const auto listed = run.parsed({"tokens", "list"}).at("tokens").at(0);
  EXPECT_EQ(listed.at("user"), "ann");
  EXPECT_EQ(listed.at("role"), "viewer");
  EXPECT_EQ(listed.at("name"), "pc");
  EXPECT_TRUE(listed.at("revoked_at").is_null());
  EXPECT_THAT(run.out({"tokens", "list"}), ContainsRegex("1 +ann +viewer +pc +valid"));
  EXPECT_THAT(run.out({"tokens", "list"}), Not(HasSubstr(token.substr(5, 20))));
  EXPECT_THAT(run.out({"tokens", "revoke", "1"}), HasSubstr("token 1 is revoked"));
  const auto when = run.parsed({"tokens", "list"}).at("tokens").at(0).at("revoked_at");
  run.out({"tokens", "revoke", "1"});
  EXPECT_EQ(run.parsed({"tokens", "list"}).at("tokens").at(0).at("revoked_at"), when);
  EXPECT_THAT(run.error(1, {"tokens", "revoke", "7"}), HasSubstr("there is no token 7"));
}

TEST(api_tokens, need_a_role_that_exists_and_a_user) {
  api_database db;
  const command run(db);
  EXPECT_THAT(run.error(2, {"tokens", "add", "--user", "a", "--role", "root"}),
              HasSubstr("'root' is none of user, viewer, operator, admin"));
  EXPECT_THAT(run.error(2, {"tokens", "add", "--user", "", "--role", "admin"}),
              HasSubstr("--user must have 1 to 200 bytes"));
  EXPECT_THAT(run.error(2, {"tokens", "add", "--role", "admin"}), HasSubstr("--user"));
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.tokens"), "0");
}

}  // namespace
}  // namespace rowrunner::testing
