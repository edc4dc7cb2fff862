// The functions of the database about callers: what they do for a proof, and for none.
#include <future>

#include "api/server_fixture.hpp"
#include "api/test_server.hpp"

namespace rowrunner::testing {
namespace {

class api_callers : public ::testing::Test {
 protected:
  /// The first parameters of each function: what is shown, its number, and the proof.
  static std::string shown(const std::string& what, const std::string& key) {
    const auto parsed = api::parse_key(key.substr(0, 2), key).value();
    return "'" + what + "', " + std::to_string(parsed.id) + ", decode('" +
           api::proof_of(parsed.secret) + "', 'hex')";
  }

  /// What a new secret is stored as, and its key once the function has numbered it.
  std::string add(const std::string& function, const std::string& proof, int seconds,
                  const char* prefix) {
    const auto secret = api::new_secret();
    const auto id = db_.value("SELECT rowrunner." + function + "(" + proof + ", decode('" +
                              api::hash_of(secret) + "', 'hex'), " + std::to_string(seconds) + ")");
    return id.empty() ? "" : api::key_text(prefix, std::stoll(id), secret);
  }

  std::string caller(const std::string& proof) {
    return db_.value("SELECT c.user_id || ' ' || c.role FROM rowrunner.caller(" + proof + ") c");
  }
  std::string remove(const std::string& proof, const std::string& user) {
    return db_.value("SELECT rowrunner.remove_user(" + proof + ", '" + user + "')");
  }
  /// Of the one row, rounded.
  std::string lasts(const std::string& table) {
    return db_.value("SELECT round(extract(epoch FROM expires_at - now())) FROM rowrunner." +
                     table);
  }

  api_database db_;
};

TEST_F(api_callers, are_known_by_a_proof_and_not_by_its_hash) {
  const auto token = db_.token("u", "user");
  EXPECT_EQ(caller(shown("token", token)), "u user");
  EXPECT_EQ(caller("'token', 1, sha256('guess')"), "");
  EXPECT_EQ(caller("'token', 1, (SELECT hash FROM rowrunner.tokens)"), "");
  EXPECT_EQ(caller(shown("ticket", token)), "");
  EXPECT_EQ(caller(shown("anything", token)), "");
}

TEST_F(api_callers, sign_in_for_12_hours_at_most_and_by_a_token_only) {
  const auto token = db_.token("u", "user");
  const auto key = add("add_web_session", shown("token", token), 1 << 30, "rs");
  EXPECT_EQ(lasts("web_sessions"), "43200");
  EXPECT_EQ(caller(shown("web_session", key)), "u user");
  EXPECT_EQ(add("add_web_session", shown("web_session", key), 60, "rs"), "");
  EXPECT_EQ(add("add_web_session", "'token', 1, sha256('guess')", 60, "rs"), "");
  EXPECT_EQ(db_.value("SELECT rowrunner.end_web_session(" + shown("token", token) + ")"), "f");
  EXPECT_EQ(db_.value("SELECT rowrunner.end_web_session(" + shown("web_session", key) + ")"), "t");
  EXPECT_EQ(caller(shown("web_session", key)), "");
}

TEST_F(api_callers, get_a_ticket_for_30_seconds_at_most_and_not_by_a_ticket) {
  const auto token = db_.token("u", "user");
  const auto ticket = add("add_ticket", shown("token", token), 1 << 30, "rt");
  EXPECT_EQ(lasts("tickets"), "30");
  EXPECT_EQ(add("add_ticket", shown("ticket", ticket), 30, "rt"), "");
  EXPECT_EQ(caller(shown("ticket", ticket)), "u user");
  EXPECT_EQ(caller(shown("ticket", ticket)), "");
  const auto signed_in = add("add_web_session", shown("token", token), 60, "rs");
  EXPECT_NE(add("add_ticket", shown("web_session", signed_in), 30, "rt"), "");
}

TEST_F(api_callers, remove_users_only_as_admins) {
  const auto admin = db_.token("a", "admin"), other = db_.token("b", "admin"),
             op = db_.token("o", "operator");
  EXPECT_EQ(remove(shown("token", op), "a"), "denied");
  EXPECT_EQ(remove("'token', 1, sha256('guess')", "o"), "denied");
  EXPECT_EQ(remove(shown("token", admin), "b"), "removed");
  EXPECT_EQ(remove(shown("token", other), "a"), "denied");
  EXPECT_EQ(remove(shown("token", admin), "a"), "last");
  EXPECT_EQ(remove(shown("token", admin), "nobody"), "unknown");
  EXPECT_EQ(remove(shown("token", admin), "o"), "removed");
}

// It was known when the call was counted, and is not when its proof counts.
TEST_F(api_callers, whose_token_is_revoked_during_the_request_get_401) {
  api::server_limits patient;
  patient.database_time = patient.statement_time = std::chrono::seconds(60);
  test_server server(patient, api::all_routes(), db_.url());
  db_.token("b", "admin");
  const auto gone = db_.token("gone", "user");
  const std::vector<std::pair<std::string, std::string>> calls{
      {"POST", "/api/session"}, {"POST", "/api/tickets"}, {"DELETE", "/admin/users/gone"}};
  for (const auto& [method, path] : calls) {
    const auto token = db_.token("a", "admin");
    const auto call = [&, method = method, path = path] {
      auto fields = bearer(token);
      fields.emplace_back("Content-Type", "application/json");
      return ask(server.port(), method, path, fields,
                 method == "POST" && path == "/api/session" ? token_body(token) : "");
    };
    db_.exec(
        "INSERT INTO rowrunner.call_counts SELECT 'a', e, date_trunc('hour', now(), 'UTC'), 1"
        " FROM unnest(ARRAY['POST /api/session', 'POST /api/tickets',"
        " 'DELETE /admin/users/{user_id}']) e ON CONFLICT DO NOTHING");
    pqxx::connection other(db_.url());
    pqxx::work tx(other);
    tx.exec("SELECT FROM rowrunner.call_counts FOR UPDATE");
    auto answer = std::async(std::launch::async, call);
    EXPECT_TRUE(
        db_.becomes("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                    " AND datname = current_database()",
                    "1"));
    db_.exec("UPDATE rowrunner.tokens SET revoked_at = now() WHERE user_id = 'a'");
    tx.commit();
    EXPECT_EQ(answer.get().status, 401) << path;
  }
  EXPECT_EQ(ask(server.port(), "GET", "/api/session", bearer(gone)).status, 200);
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.web_sessions"), "0");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.tickets"), "0");
}

// Nobody has a token then, so that there is nobody to remove.
TEST_F(api_callers, of_an_open_server_remove_no_user) {
  test_server server({}, api::all_routes(), db_.url());
  server.open_to_this_machine();
  EXPECT_EQ(ask(server.port(), "DELETE", "/admin/users/a").status, 404);
}

}  // namespace
}  // namespace rowrunner::testing
