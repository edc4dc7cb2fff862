// The owner of an attached table has code in it (a policy, an index) that runs as the server's
// login whenever the server reads the table. It must not decide who the server takes a caller for.
#include <memory>

#include "api/server_fixture.hpp"
#include "support/letters.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

enum class way { direct, through_one_backend };

/// What mallory runs as the server, in her table `attempts`; the table `seen` has what became of
/// it.
constexpr const char* trap_schema = R"sql(
DO $$ BEGIN CREATE ROLE mallory NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
CREATE SCHEMA mallory AUTHORIZATION mallory;
GRANT ALL ON SCHEMA mallory TO PUBLIC;
CREATE TABLE mallory.jobs (LIKE letter_jobs INCLUDING ALL);
ALTER TABLE mallory.jobs OWNER TO mallory;
SELECT rowrunner.attach('mallory.jobs', kind => 'trap');
INSERT INTO mallory.jobs (batch_id, recipient) VALUES ('b', 'r');
SET ROLE mallory;
CREATE TABLE mallory.attempts (n integer GENERATED ALWAYS AS IDENTITY, sql text);
CREATE TABLE mallory.seen (pid integer, sql text, failure text);
GRANT ALL ON ALL TABLES IN SCHEMA mallory TO PUBLIC;
CREATE FUNCTION mallory.trap() RETURNS boolean LANGUAGE plpgsql AS $f$
DECLARE
  attempt text;
BEGIN
  IF session_user NOT LIKE 'login\_%' THEN RETURN true; END IF;
  FOR attempt IN SELECT a.sql FROM mallory.attempts a ORDER BY a.n LOOP
    BEGIN
      EXECUTE attempt;
      INSERT INTO mallory.seen VALUES (pg_backend_pid(), attempt, NULL);
    EXCEPTION WHEN OTHERS THEN
      INSERT INTO mallory.seen VALUES (pg_backend_pid(), attempt, SQLERRM);
    END;
  END LOOP;
  RETURN true;
END $f$;
CREATE FUNCTION mallory.one() RETURNS integer IMMUTABLE LANGUAGE plpgsql AS $f$
BEGIN PERFORM mallory.trap(); RETURN 1; END $f$;
RESET ROLE;
)sql";

constexpr const char* as_policy =
    "ALTER TABLE mallory.jobs ENABLE ROW LEVEL SECURITY;"
    "CREATE POLICY trap ON mallory.jobs USING (mallory.trap())";
constexpr const char* as_index = "CREATE INDEX ON mallory.jobs (batch_id) WHERE mallory.one() = 1";

/// A server whose login has the two roles that the documents name, and the trap in its way.
class api_table_owner : public ::testing::TestWithParam<way> {
 protected:
  api_table_owner() {
    const auto url = db_.url_of_new_role();
    db_.exec("GRANT rowrunner_server, rowrunner_app TO " + db_.new_role());
    db_.exec(std::string(letters_schema));
    db_.exec(trap_schema);
    viewer_ = db_.token("v", "viewer");
    admin_ = db_.token("a", "admin");
    if (GetParam() == way::through_one_backend) {
      front_ = std::make_unique<pooler>(url, "default_pool_size = 1\n");
    }
    start_server();
  }

  // Also when the server is gone its backends may be about to drop their temporary tables.
  ~api_table_owner() override {
    server_.reset();
    front_.reset();
    db_.exec("SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE usename = '" +
             db_.new_role() + "'");
  }

  void start_server() {
    const auto url = db_.url_of(db_.new_role());
    server_.reset();
    server_ = std::make_unique<served>(front_ ? front_->through(url) : url);
  }

  void set_trap(const char* where) { db_.exec(where); }

  void attempt(const std::string& sql) {
    pqxx::work tx(db_.connection());
    tx.exec("INSERT INTO mallory.attempts (sql) VALUES (" + tx.quote(sql) + ")");
    tx.commit();
  }

  /// Passes if the function of this schema answers anything else than what it says to a stranger.
  void attempt_call(const std::string& call, const std::string& denial = "") {
    attempt_that("coalesce(rowrunner." + call + "::text, '') <> '" + denial + "'");
  }
  /// Passes if the condition holds.
  void attempt_that(const std::string& condition) {
    attempt("DO $$ BEGIN IF NOT " + condition + " THEN RAISE 'it does not'; END IF; END $$");
  }

  /// The server reads mallory's table, and so runs what she attempts.
  void spring() {
    EXPECT_EQ(status("GET", "/api/jobs?kind=trap", bearer(viewer_)), 200);
    EXPECT_NE(db_.value("SELECT count(*) FROM mallory.seen"), "0");
  }

  /// Those of the attempts that the database let pass.
  std::vector<std::string> done() {
    std::vector<std::string> out;
    for (const auto& row :
         db_.rows("SELECT DISTINCT sql FROM mallory.seen WHERE failure IS NULL")) {
      out.push_back(row[0].as<std::string>());
    }
    return out;
  }

  int status(const std::string& method, const std::string& path, const header_fields& fields) {
    return ask(server_->port(), method, path, fields).status;
  }

  /// What the server answers to the first sign-ins and tickets that there could be, with a secret
  /// that mallory chose.
  std::vector<int> answers_to_forged() {
    std::vector<int> out;
    for (int id = 1; id <= 3; ++id) {
      const auto cookie = "rowrunner_session=" + api::key_text("rs", id, secret_);
      const auto ticket = api::key_text("rt", id, secret_);
      out.push_back(status("GET", "/api/session", {{"Cookie", cookie}}));
      out.push_back(status("GET", "/metrics", {{"Cookie", cookie}}));
      out.push_back(status("HEAD", "/api/events?overview=1&ticket=" + ticket, {}));
    }
    return out;
  }

  void expect_nobody_is_taken_for_another() {
    EXPECT_EQ(status("POST", "/api/kinds/letter/pause", bearer(viewer_)), 403);
    EXPECT_THAT(answers_to_forged(), Each(401));
    EXPECT_EQ(status("DELETE", "/admin/users/a", bearer(viewer_)), 403);
    EXPECT_THAT(ask(server_->port(), "GET", "/api/session", bearer(viewer_)).body,
                HasSubstr(R"("role":"viewer")"));
    EXPECT_EQ(db_.value("SELECT paused FROM rowrunner.kinds WHERE kind = 'letter'"), "f");
    EXPECT_EQ(status("POST", "/api/kinds/letter/pause", bearer(admin_)), 200);
  }

  void expect_a_wrong_secret_is_refused() {
    auto wrong = admin_;
    wrong.back() = wrong.back() == 'A' ? 'E' : 'A';
    EXPECT_EQ(status("GET", "/api/session", bearer(wrong)), 401);
  }

  /// No session that asked who a caller is has read a job table.
  void expect_sessions_apart() {
    const std::string asked =
        "FROM pg_stat_activity WHERE datname = current_database()"
        " AND query LIKE '%rowrunner.caller(%' AND pid <> pg_backend_pid()";
    EXPECT_EQ(status("GET", "/api/session", bearer(viewer_)), 200);
    EXPECT_NE(db_.value("SELECT count(*) " + asked), "0");
    EXPECT_EQ(db_.value("SELECT count(*) " + asked + " AND pid IN (SELECT pid FROM mallory.seen)"),
              "0");
  }

  std::string hash() const { return "decode('" + api::hash_of(secret_) + "', 'hex')"; }

  const std::string secret_ = api::new_secret();
  api_database db_;
  std::string viewer_, admin_;
  std::unique_ptr<pooler> front_;
  std::unique_ptr<served> server_;
};

INSTANTIATE_TEST_SUITE_P(way, api_table_owner,
                         ::testing::Values(way::direct, way::through_one_backend),
                         [](const auto& each) {
                           return each.param == way::direct ? "direct" : "through_one_backend";
                         });

TEST_P(api_table_owner, makes_no_sign_in_and_no_ticket_from_a_policy) {
  set_trap(as_policy);
  for (const std::string table : {"web_sessions", "tickets"}) {
    attempt("INSERT INTO rowrunner." + table + " (hash, token_id, expires_at) SELECT " + hash() +
            ", t.id, now() + interval '1 hour' FROM rowrunner.tokens t WHERE t.role = 'admin'");
    attempt("INSERT INTO rowrunner." + table + " (hash, token_id, expires_at) VALUES (" + hash() +
            ", 2, now() + interval '1 hour')");
  }
  spring();
  EXPECT_THAT(done(), IsEmpty());
  expect_nobody_is_taken_for_another();
}

TEST_P(api_table_owner, makes_no_sign_in_and_no_ticket_from_an_index) {
  set_trap(as_index);
  for (const std::string table : {"web_sessions", "tickets"}) {
    attempt("INSERT INTO rowrunner." + table + " (hash, token_id, expires_at) VALUES (" + hash() +
            ", 2, now() + interval '1 hour')");
  }
  spring();
  EXPECT_THAT(done(), IsEmpty());
  expect_nobody_is_taken_for_another();
}

// Whoever has read a copy of the database knows the hashes.
TEST_P(api_table_owner, proves_nothing_by_guesses_and_by_stored_hashes) {
  set_trap(as_policy);
  const auto signed_in = sign_in(server_->port(), admin_);
  const auto stored = [&](const std::string& table) {
    return db_.value("SELECT format('%L::bytea', hash) FROM rowrunner." + table +
                     " ORDER BY id DESC LIMIT 1");
  };
  for (const auto& proof : {std::string("sha256('guess')"), stored("tokens"), hash()}) {
    attempt_call("add_web_session('token', 2, " + proof + ", " + hash() + ", 3600)");
    attempt_call("add_ticket('token', 2, " + proof + ", " + hash() + ", 30)");
    attempt_call("remove_user('token', 2, " + proof + ", 'v')", "denied");
    attempt_that("EXISTS (SELECT FROM rowrunner.caller('token', 2, " + proof + "))");
  }
  for (const auto& proof : {std::string("sha256('guess')"), stored("web_sessions")}) {
    attempt_call("add_ticket('web_session', 1, " + proof + ", " + hash() + ", 30)");
    attempt_call("end_web_session('web_session', 1, " + proof + ")", "false");
    attempt_call("remove_user('web_session', 1, " + proof + ", 'v')", "denied");
  }
  spring();
  EXPECT_THAT(done(), IsEmpty());
  EXPECT_EQ(status("GET", "/api/session", {{"Cookie", signed_in}}), 200);
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.tickets"), "0");
  expect_a_wrong_secret_is_refused();
  expect_nobody_is_taken_for_another();
}

TEST_P(api_table_owner, neither_reinstates_nor_withdraws_what_others_have) {
  set_trap(as_policy);
  const auto signed_in = sign_in(server_->port(), admin_), revoked = db_.token("r", "admin");
  db_.exec("UPDATE rowrunner.tokens SET revoked_at = now() WHERE user_id = 'r'");
  for (const std::string change :
       {"UPDATE rowrunner.tokens SET revoked_at = NULL",
        "UPDATE rowrunner.tokens SET revoked_at = now() WHERE user_id <> 'v'",
        "UPDATE rowrunner.tokens SET role = 'admin'", "DELETE FROM rowrunner.tokens",
        "DELETE FROM rowrunner.web_sessions", "DELETE FROM rowrunner.tickets",
        "UPDATE rowrunner.web_sessions SET expires_at = now() + interval '1 year'",
        "UPDATE rowrunner.call_counts SET calls = 0", "DELETE FROM rowrunner.call_counts"}) {
    attempt(change);
  }
  spring();
  EXPECT_THAT(done(), IsEmpty());
  EXPECT_EQ(status("GET", "/api/session", bearer(revoked)), 401);
  EXPECT_EQ(status("GET", "/api/session", {{"Cookie", signed_in}}), 200);
}

// What code has prepared in a session stands for the statements of that name ever after.
TEST_P(api_table_owner, answers_no_question_about_a_caller_by_prepared_statements) {
  set_trap(as_policy);
  const std::string lie = "'v'::text, 'admin'::text, 1::bigint, 0::bigint";
  for (const std::string name : {"caller_of", "token_of_id", "token_of_session"}) {
    attempt("DEALLOCATE " + name);
  }
  attempt("PREPARE caller_of (text, bigint, text) AS SELECT " + lie);
  for (const std::string name : {"token_of_id", "token_of_session"}) {
    attempt("PREPARE " + name + " (bigint) AS SELECT encode(t.hash, 'hex'), " + lie +
            " FROM rowrunner.tokens t WHERE t.id = $1");
  }
  spring();
  EXPECT_THAT(done(), Contains(HasSubstr("PREPARE caller_of")));
  expect_nobody_is_taken_for_another();
  if (GetParam() == way::direct) expect_sessions_apart();
}

TEST_P(api_table_owner, answers_no_question_about_a_caller_by_what_is_left_in_a_session) {
  set_trap(as_policy);
  db_.exec(
      "SET ROLE mallory;"
      "CREATE FUNCTION mallory.yes(bytea, bytea) RETURNS boolean LANGUAGE sql AS 'SELECT true';"
      "CREATE OPERATOR mallory.= (LEFTARG = bytea, RIGHTARG = bytea, FUNCTION = mallory.yes);"
      "CREATE FUNCTION mallory.caller(text, bigint, bytea, OUT text, OUT text, OUT bigint,"
      " OUT bigint) LANGUAGE sql AS $$ SELECT 'v', 'admin', 1, 0 $$;"
      "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA mallory TO PUBLIC; RESET ROLE");
  attempt("CREATE TEMP TABLE tokens AS SELECT 1 AS id, 'admin'::text AS role");
  attempt("CREATE TEMP TABLE web_sessions AS SELECT 1 AS id, sha256('') AS hash");
  attempt("DECLARE kept CURSOR WITH HOLD FOR SELECT 1");
  attempt("SELECT set_config('transform_null_equals', 'on', false)");
  attempt("SELECT set_config('search_path', 'pg_temp, mallory, pg_catalog', false)");
  attempt("ALTER ROLE CURRENT_USER SET search_path = pg_temp, mallory, pg_catalog");
  spring();
  EXPECT_EQ(done().size(), 6u);
  expect_a_wrong_secret_is_refused();
  expect_nobody_is_taken_for_another();
  start_server();
  expect_a_wrong_secret_is_refused();
  EXPECT_THAT(answers_to_forged(), Each(401));
}

// Behind a pooler it can keep the server from answering. It cannot make it answer wrongly.
TEST_P(api_table_owner, makes_questions_about_a_caller_fail_at_most) {
  set_trap(as_policy);
  attempt("SET ROLE rowrunner_app");
  spring();
  EXPECT_EQ(done(), std::vector<std::string>{"SET ROLE rowrunner_app"});
  const bool apart = GetParam() == way::direct;
  EXPECT_EQ(status("GET", "/api/session", bearer(viewer_)), apart ? 200 : 500);
  EXPECT_EQ(status("DELETE", "/admin/users/a", bearer(viewer_)), apart ? 403 : 500);
  EXPECT_THAT(answers_to_forged(), Each(apart ? 401 : 500));
}

}  // namespace
}  // namespace rowrunner::testing
