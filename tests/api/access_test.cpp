// Who may do what.
#include <algorithm>
#include <set>

#include "api/server_fixture.hpp"
#include "api/test_server.hpp"
#include "apps/workloads.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto stranger = "nobody";

/// The product's routes, and one of each access that no route of the product has yet.
std::vector<api::route> routes_of_every_access() {
  using enum api::access;
  using enum api::http::verb;
  const auto fine = [](api::services&, const api::request&) -> api::asio::awaitable<api::answer> {
    co_return api::answer(200, "fine");
  };
  auto all = api::all_routes();
  const auto add = [&](api::http::verb method, const char* path, api::access who) {
    all.push_back({.method = method, .path = path, .who = who, .run = fine, .summary = path});
  };
  add(post, "/test/own", change_own);
  add(get, "/test/all", read_all);
  add(post, "/test/all", change_all);
  add(delete_, "/test/admin", administer);
  all.push_back({.method = get,
                 .path = "/test/ticket",
                 .who = signed_in,
                 .run = fine,
                 .summary = "Takes tickets",
                 .takes_ticket = true});
  return all;
}

/// Who gets 401, 403 or through, by the access of the route.
int expected(api::access needed, const std::string& who) {
  if (needed == api::access::anyone) return 200;
  if (who == stranger) return 401;
  return api::allows(needed, api::role_named(who).value()) ? 200 : 403;
}

/// 200 for whatever the handler made of it.
int outcome(const http_reply& reply) {
  return reply.status == 401 || reply.status == 403 || reply.status == 0 ? reply.status : 200;
}

class api_access : public ::testing::Test {
 protected:
  int port() const { return server_.port(); }
  std::string text_of(const char* role) { return tokens_.at(role); }

  api_database db_;
  std::map<std::string, std::string> tokens_{{"user", db_.token("u", "user")},
                                             {"viewer", db_.token("v", "viewer")},
                                             {"operator", db_.token("o", "operator")},
                                             {"admin", db_.token("a", "admin")}};
  test_server server_{{}, routes_of_every_access(), db_.url()};
};

TEST_F(api_access, of_every_route_and_role_by_token) {
  for (const auto& route : routes_of_every_access()) {
    const std::string method(api::http::to_string(route.method)), path(route.path);
    if (path == "/api/session" && method == "POST") continue;  // 401 for the token in its body
    EXPECT_EQ(outcome(ask(port(), method, path)), expected(route.who, stranger)) << method << path;
    for (const auto& [role, token] : tokens_) {
      EXPECT_EQ(outcome(ask(port(), method, path, bearer(token))), expected(route.who, role))
          << method << path << " as " << role;
    }
  }
}

TEST_F(api_access, of_every_route_and_role_by_cookie) {
  for (const auto& [role, token] : tokens_) {
    for (const auto& route : routes_of_every_access()) {
      const std::string method(api::http::to_string(route.method)), path(route.path);
      if (path == "/api/session" && method == "POST") continue;
      const auto cookie = sign_in(port(), token);
      const bool changes = method != "GET";
      const auto needed = expected(route.who, role);
      EXPECT_EQ(outcome(ask(port(), method, path, {{"Cookie", cookie}})), changes ? 403 : needed)
          << method << path << " as " << role;
      EXPECT_EQ(outcome(ask(port(), method, path,
                            {{"Cookie", cookie}, {"Sec-Fetch-Site", "same-origin"}})),
                needed)
          << method << path << " as " << role;
    }
  }
}

// Signing in and out, and a ticket, change nothing but the caller's own sign-ins.
TEST_F(api_access, a_viewer_changes_nothing) {
  for (const auto& route : routes_of_every_access()) {
    const std::string method(api::http::to_string(route.method)), path(route.path);
    if (method == "GET" || path == "/api/session" || path == "/api/tickets") continue;
    EXPECT_EQ(ask(port(), method, path, bearer(text_of("viewer"))).status, 403) << path;
  }
}

/// The server with all routes of this build, those of its workloads included.
std::vector<api::route> routes_of_this_build(const boost::asio::any_io_executor& executor) {
  auto all = api::all_routes();
  for (auto& each : workload_routes(executor, environment({}))) all.push_back(std::move(each));
  return all;
}

TEST(api_access_of_workloads, a_viewer_changes_nothing) {
  workloads_database db;
  const auto viewer = db.token("v", "viewer");
  std::vector<api::route> routes;
  const auto keep = [&](const boost::asio::any_io_executor& executor) {
    return routes = routes_of_this_build(executor);
  };
  test_server server({}, keep, db.url());
  std::set<std::string> refused;
  for (const auto& route : routes) {
    const std::string method(api::http::to_string(route.method)), path(route.path);
    if (method == "GET" || path == "/api/session" || path == "/api/tickets") continue;
    const auto status = ask(server.port(), method, path, bearer(viewer)).status;
    // Where a document has a proof of its own a token is none, and 404 means that it is not set up.
    const bool other_proof = route.check_caller || route.check;
    EXPECT_TRUE(status == 403 || (other_proof && (status == 401 || status == 404)))
        << status << method << path;
    refused.insert(std::string(method).append(" ").append(path));
  }
  EXPECT_TRUE(refused.contains("POST /api/failed/retry"));
  const auto built = [](std::string_view name) {
    return std::any_of(workloads().begin(), workloads().end(),
                       [&](const workload& each) { return each.database.name == name; });
  };
  EXPECT_EQ(refused.contains("POST /api/plans"), built("spot_images"));
  EXPECT_EQ(refused.contains("POST /documents/upload"), built("documents"));
}

TEST_F(api_access, errors_have_one_shape) {
  const auto missing = ask(port(), "GET", "/api/session");
  EXPECT_EQ(missing.status, 401);
  EXPECT_EQ(missing.header("www-authenticate"), "Bearer");
  const auto error = nlohmann::json::parse(missing.body).at("error");
  EXPECT_EQ(error.size(), 4u);
  EXPECT_EQ(error.at("code"), "unauthorized");
  EXPECT_EQ(error.at("request_id"), missing.header("x-request-id"));
  EXPECT_EQ(error.at("retryable"), false);
  EXPECT_TRUE(error.at("message").is_string());
}

TEST_F(api_access, wrong_and_revoked_tokens_are_refused) {
  auto wrong = text_of("admin");
  wrong.back() = wrong.back() == 'A' ? 'E' : 'A';
  EXPECT_EQ(ask(port(), "GET", "/api/session", bearer(wrong)).status, 401);
  EXPECT_EQ(ask(port(), "GET", "/api/session", bearer("rr_999_" + wrong.substr(5))).status, 401);
  const auto cookie = sign_in(port(), text_of("admin"));
  EXPECT_EQ(ask(port(), "GET", "/api/session", {{"Cookie", cookie}}).status, 200);
  const auto id = db_.value("SELECT id FROM rowrunner.tokens WHERE role = 'admin'");
  EXPECT_THAT(command(db_).out({"tokens", "revoke", id}), HasSubstr("is revoked"));
  EXPECT_EQ(ask(port(), "GET", "/api/session", bearer(text_of("admin"))).status, 401);
  EXPECT_EQ(ask(port(), "GET", "/api/session", {{"Cookie", cookie}}).status, 401);
  EXPECT_EQ(ask(port(), "POST", "/api/session", {{"Content-Type", "application/json"}},
                token_body(text_of("admin")))
                .status,
            401);
}

TEST_F(api_access, a_cookie_is_not_the_token_and_ends) {
  const auto reply = ask(port(), "POST", "/api/session", {{"Content-Type", "application/json"}},
                         token_body(text_of("user")));
  const auto cookie = reply.header("set-cookie");
  EXPECT_THAT(cookie, HasSubstr("; HttpOnly; SameSite=Strict; "));
  EXPECT_THAT(cookie, Not(HasSubstr("Secure")));
  EXPECT_THAT(cookie, Not(HasSubstr(text_of("user").substr(5))));
  EXPECT_EQ(nlohmann::json::parse(reply.body), (nlohmann::json{{"user", "u"}, {"role", "user"}}));
  const header_fields page{{"Cookie", cookie.substr(0, cookie.find(';'))},
                           {"Origin", "http://localhost"}};
  EXPECT_EQ(ask(port(), "GET", "/api/session", page).status, 200);
  const auto gone = ask(port(), "DELETE", "/api/session", page);
  EXPECT_EQ(gone.status, 204);
  EXPECT_THAT(gone.header("set-cookie"), HasSubstr("Max-Age=0"));
  EXPECT_EQ(ask(port(), "GET", "/api/session", page).status, 401);
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.web_sessions"), "0");
}

TEST_F(api_access, a_session_expires_and_is_removed) {
  const header_fields page{{"Cookie", sign_in(port(), text_of("user"))}};
  EXPECT_EQ(ask(port(), "GET", "/api/session", page).status, 200);
  db_.exec("UPDATE rowrunner.web_sessions SET expires_at = now()");
  EXPECT_EQ(ask(port(), "GET", "/api/session", page).status, 401);
  sign_in(port(), text_of("user"));
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.web_sessions"), "1");
}

TEST_F(api_access, a_page_of_another_site_cannot_sign_in_or_out) {
  const header_fields other{{"Content-Type", "application/json"}, {"Sec-Fetch-Site", "cross-site"}};
  EXPECT_EQ(ask(port(), "POST", "/api/session", other, token_body(text_of("user"))).status, 403);
  const auto cookie = sign_in(port(), text_of("user"));
  EXPECT_EQ(ask(port(), "DELETE", "/api/session",
                {{"Cookie", cookie}, {"Origin", "https://evil.example"}})
                .status,
            403);
}

TEST_F(api_access, a_ticket_opens_once_and_only_where_tickets_are_taken) {
  const auto made = ask(port(), "POST", "/api/tickets", bearer(text_of("user")));
  EXPECT_EQ(made.status, 201);
  const auto parsed = nlohmann::json::parse(made.body);
  EXPECT_EQ(parsed.at("expires_in"), 30);
  const auto ticket = parsed.at("ticket").get<std::string>();
  auto wrong = ticket;
  wrong.back() = wrong.back() == 'A' ? 'E' : 'A';
  EXPECT_EQ(ask(port(), "GET", "/api/session?ticket=" + ticket).status, 401);
  EXPECT_EQ(ask(port(), "GET", "/test/ticket?ticket=" + wrong).status, 401);
  EXPECT_EQ(ask(port(), "GET", "/test/ticket?ticket=" + ticket).status, 200);
  EXPECT_EQ(ask(port(), "GET", "/test/ticket?ticket=" + ticket).status, 401);
}

TEST_F(api_access, a_ticket_expires_after_30_seconds) {
  const auto made = ask(port(), "POST", "/api/tickets", bearer(text_of("user")));
  EXPECT_EQ(db_.value("SELECT expires_at - now() BETWEEN '20 s' AND '30 s' FROM rowrunner.tickets"),
            "t");
  db_.exec("UPDATE rowrunner.tickets SET expires_at = now()");
  const auto ticket = nlohmann::json::parse(made.body).at("ticket").get<std::string>();
  EXPECT_EQ(ask(port(), "GET", "/test/ticket?ticket=" + ticket).status, 401);
}

TEST_F(api_access, the_database_has_hashes_only) {
  sign_in(port(), text_of("user"));
  ask(port(), "POST", "/api/tickets", bearer(text_of("user")));
  const auto dump = run_process({"pg_dump", "--data-only", "--schema=rowrunner", db_.url()});
  ASSERT_EQ(dump.exit_code, 0);
  const auto secret = text_of("user").substr(text_of("user").find('_', 3) + 1);
  EXPECT_THAT(dump.out, Not(HasSubstr(secret)));
  EXPECT_THAT(dump.out, HasSubstr(api::hash_of(secret)));
}

// Without any token this machine may do everything; the first one ends that, and to revoke it does
// not bring it back.
TEST(api_open, a_server_without_tokens_is_open_to_this_machine_only) {
  api_database db;
  test_server server({}, routes_of_every_access(), db.url());
  EXPECT_EQ(ask(server.port(), "DELETE", "/test/admin").status, 401);  // not known to be loopback
  server.open_to_this_machine();
  EXPECT_EQ(ask(server.port(), "DELETE", "/test/admin").status, 200);
  EXPECT_EQ(ask(server.port(), "DELETE", "/test/admin", {{"Sec-Fetch-Site", "cross-site"}}).status,
            401);
  EXPECT_EQ(ask(server.port(), "GET", "/test/all", {{"X-Forwarded-For", "192.0.2.1"}}).status, 401);
  raw_client rebound(server.port());
  rebound.send("GET /test/all HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  EXPECT_EQ(rebound.read_reply().value().status, 401);
  const auto token = db.token("a", "admin");
  EXPECT_EQ(ask(server.port(), "DELETE", "/test/admin").status, 401);
  EXPECT_EQ(ask(server.port(), "DELETE", "/test/admin", bearer(token)).status, 200);
  command(db).out({"tokens", "revoke", "1"});
  EXPECT_EQ(ask(server.port(), "DELETE", "/test/admin").status, 401);
}

// What the server logs in as needs no other role.
TEST(api_open, the_role_of_the_server_is_enough) {
  api_database db;
  const auto url = db.url_of_new_role();
  db.exec("GRANT rowrunner_server TO " + db.new_role());
  const auto token = db.token("a", "admin");
  const served server(url);
  EXPECT_EQ(ask(server.port(), "POST", "/api/tickets", bearer(token)).status, 201);
  EXPECT_EQ(ask(server.port(), "POST", "/api/tickets", bearer(token)).status, 201);
  db.exec("UPDATE rowrunner.tickets SET expires_at = now()");
  EXPECT_EQ(ask(server.port(), "POST", "/api/tickets", bearer(token)).status, 201);
  const auto cookie = sign_in(server.port(), token);
  EXPECT_EQ(ask(server.port(), "DELETE", "/api/session",
                {{"Cookie", cookie}, {"Sec-Fetch-Site", "same-origin"}})
                .status,
            204);
}

}  // namespace
}  // namespace rowrunner::testing
