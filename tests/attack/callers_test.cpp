#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/jobs.hpp"
#include "support/postgres.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

// mallory owns a job table. Her code runs as rowrunner_job_writer, inside of calls of roles that
// may do more; what it leaves behind there must not run as one of them. mallory.seen has who ran
// it.
class callers : public ::testing::Test {
 protected:
  callers() {
    db_.exec(
        "DO $$ BEGIN CREATE ROLE mallory NOLOGIN;"
        " EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;"
        "CREATE SCHEMA mallory AUTHORIZATION mallory; GRANT ALL ON SCHEMA mallory TO PUBLIC;"
        "CREATE TABLE mallory.jobs (LIKE letter_jobs INCLUDING ALL);"
        "ALTER TABLE mallory.jobs OWNER TO mallory;"
        "SELECT rowrunner.attach('mallory.jobs', kind => 'trap', joins => true);"
        "SET ROLE mallory;"
        "CREATE TABLE mallory.seen (who text); GRANT ALL ON mallory.seen TO PUBLIC;"
        "CREATE FUNCTION mallory.note() RETURNS integer LANGUAGE plpgsql AS"
        " 'BEGIN INSERT INTO mallory.seen VALUES (current_user); RETURN 1; END';");
    hijack("=", "text", "text", "boolean");
    hijack("<>", "text", "text", "boolean");
    hijack("+", "bigint", "bigint", "bigint");
    hijack("+", "bigint", "integer", "bigint");
    hijack(">", "bigint", "integer", "boolean");
    db_.exec("RESET ROLE");
  }

  /// An operator of hers for one of the system's.
  void hijack(const std::string& name, const std::string& left, const std::string& right,
              const std::string& answer) {
    const auto function = "mallory.op" + std::to_string(++operators_);
    db_.exec(
        "CREATE FUNCTION " + function + "(" + left + ", " + right + ") RETURNS " + answer +
        " LANGUAGE plpgsql AS $$ BEGIN PERFORM mallory.note(); RETURN $1 OPERATOR(pg_catalog." +
        name + ") $2; END $$; CREATE OPERATOR mallory." + name + " (LEFTARG = " + left +
        ", RIGHTARG = " + right + ", FUNCTION = " + function + ")");
  }

  /// Her code for every row that is written and for every plan that reads the table.
  void plant(const std::string& body) {
    db_.exec(
        "SET ROLE mallory;"
        "CREATE FUNCTION mallory.act() RETURNS void LANGUAGE plpgsql AS $f$ BEGIN"
        " IF current_user = 'rowrunner_job_writer' THEN " +
        body +
        " END IF; END $f$;"
        "CREATE FUNCTION mallory.trap() RETURNS trigger LANGUAGE plpgsql AS"
        " 'BEGIN PERFORM mallory.act(); RETURN NEW; END';"
        "CREATE TRIGGER trap BEFORE UPDATE ON mallory.jobs FOR EACH ROW"
        " EXECUTE FUNCTION mallory.trap();"
        "CREATE FUNCTION mallory.one() RETURNS integer IMMUTABLE LANGUAGE plpgsql AS"
        " 'BEGIN PERFORM mallory.act(); RETURN 1; END';"
        "CREATE INDEX ON mallory.jobs (batch_id) WHERE mallory.one() = 1;"
        "RESET ROLE");
  }

  std::string insert(const std::string& status, const std::string& name) {
    return db_.value("INSERT INTO mallory.jobs (batch_id, recipient, status) VALUES ('p', '" +
                     name + "', '" + status + "') RETURNING id");
  }

  /// In a session of its own, as everybody's state there is at stake; "" or the error.
  std::string call(const std::string& sql, const std::string& role = "") {
    pqxx::connection session(db_.url());
    try {
      pqxx::work tx(session);
      if (!role.empty()) tx.exec("SET LOCAL ROLE " + role);
      tx.exec(sql);
      tx.commit();
    } catch (const pqxx::sql_error& error) {
      return error.what();
    }
    return "";
  }

  void call_everything() {
    const auto queued = insert("queued", "queued"), failed = insert("failed", "failed");
    const auto parent = insert("queued", "parent");
    const auto id = [](const std::string& text) { return "'" + text + "'::uuid"; };
    db_.exec("TRUNCATE mallory.seen");
    const std::string refused = "set search_path or left a cursor";
    EXPECT_THAT(call("SELECT rowrunner.cancel('trap', " + id(queued) + ")", "rowrunner_app"),
                HasSubstr(refused));
    EXPECT_THAT(call("SELECT rowrunner.requeue('trap', " + id(failed) + ")", "rowrunner_app"),
                HasSubstr(refused));
    EXPECT_THAT(call("SELECT rowrunner.enqueue_again('trap', " + id(failed) + ")"),
                HasSubstr(refused));
    EXPECT_THAT(call("INSERT INTO mallory.jobs (batch_id, recipient) VALUES ('p', 'child');"
                     "SELECT rowrunner.run_after('trap', (SELECT id FROM mallory.jobs"
                     " WHERE recipient = 'child'), 'trap', ARRAY[" +
                     id(parent) + "])"),
                HasSubstr(refused));
    EXPECT_THAT(
        call("UPDATE mallory.jobs SET attempts = 9, status = 'queued' WHERE id = " + id(failed),
             "mallory"),
        HasSubstr(refused));
    EXPECT_THAT(call("SELECT rowrunner.repair('trap')"), HasSubstr(refused));
    EXPECT_EQ(call("SELECT rowrunner.sweep()"), "");  // warns
    EXPECT_THAT(call("SELECT rowrunner.attach('mallory.jobs', kind => 'trap')"),
                HasSubstr(refused));
  }

  std::string seen() {
    return db_.value("SELECT string_agg(DISTINCT who, ', ' ORDER BY who) FROM mallory.seen");
  }

  test_database db_;
  int operators_ = 0;
};

TEST_F(callers, find_none_of_the_owners_operators_after_a_call) {
  plant("PERFORM pg_catalog.set_config('search_path', 'mallory, pg_catalog', false);");
  call_everything();
  EXPECT_THAT(seen(), AnyOf("", "rowrunner_job_writer"));
}

TEST_F(callers, run_no_cursor_of_the_owner_at_commit) {
  plant(
      "IF NOT EXISTS (SELECT FROM pg_catalog.pg_cursors c WHERE c.name = 'hers') THEN"
      " EXECUTE 'DECLARE hers CURSOR WITH HOLD FOR SELECT mallory.note()'; END IF;");
  call_everything();
  EXPECT_THAT(seen(), AnyOf("", "rowrunner_job_writer"));
}

// A cursor of the caller's own is no reason to refuse.
TEST_F(callers, may_hold_cursors_of_their_own) {
  const auto id = insert("queued", "plain");
  pqxx::connection session(db_.url());
  pqxx::work tx(session);
  tx.exec("DECLARE mine CURSOR WITH HOLD FOR SELECT 1");
  EXPECT_EQ(tx.exec("SELECT rowrunner.cancel('trap', '" + id + "')")[0][0].as<std::string>(),
            "cancelled");
}

}  // namespace
}  // namespace rowrunner::testing
