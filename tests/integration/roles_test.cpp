#include <gtest/gtest.h>

#include "support/jobs.hpp"

namespace rowrunner::testing {
namespace {

class roles : public ::testing::Test {
 protected:
  // Runs a statement with the rights of a role: "denied", another complaint, or "".
  std::string as(const std::string& role, const std::string& sql) {
    pqxx::work tx(db_.connection());
    try {
      tx.exec("SET LOCAL ROLE " + role);
      tx.exec(sql);
      tx.exec("RESET ROLE");
      tx.commit();
    } catch (const pqxx::insufficient_privilege&) {
      return "denied";
    } catch (const pqxx::sql_error& error) {
      return error.what();
    }
    return "";
  }

  std::string value_as(const std::string& role, const std::string& sql) {
    pqxx::work tx(db_.connection());
    tx.exec("SET LOCAL ROLE " + role);
    auto value = tx.exec(sql)[0][0].as<std::string>();
    tx.exec("RESET ROLE");
    tx.commit();
    return value;
  }

  test_database db_;
  const std::string denied_ = "denied";
};

TEST_F(roles, an_application_enqueues_with_a_plain_insert) {
  EXPECT_EQ(as("rowrunner_app",
               "INSERT INTO letter_jobs (batch_id, recipient) VALUES ('p', 'a')"
               " ON CONFLICT DO NOTHING"),
            "");
  EXPECT_EQ(value_as("rowrunner_app", "SELECT status FROM letter_jobs"), "queued");
  EXPECT_EQ(lost_jobs(db_), "0 0");
  EXPECT_EQ(claim_names(db_), "a");
}

// The triggers of an enqueue run with the owner's rights and without a search_path of their own.
TEST_F(roles, nothing_of_the_callers_replaces_what_a_trigger_names) {
  std::string evil = "CREATE SCHEMA evil; GRANT USAGE ON SCHEMA evil TO PUBLIC;";
  for (const auto* type : {"text", "timestamptz", "float8", "int4", "int8", "int2"}) {
    const auto name = "evil.of_" + std::string(type);
    evil += "CREATE FUNCTION " + name + "(a " + type + ", b " + type +
            ") RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'evil'; END $$;";
    for (const auto* sign : {"=", "<>", "<=", "<", ">", "*"}) {
      evil += "CREATE OPERATOR evil." + std::string(sign) + " (FUNCTION = " + name +
              ", LEFTARG = " + type + ", RIGHTARG = " + type + ");";
    }
  }
  for (const auto* named : {"now()", "clock_timestamp()", "nextval(regclass)",
                            "current_setting(text, boolean)", "set_config(text, text, boolean)"}) {
    evil += "CREATE FUNCTION evil." + std::string(named) +
            " RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'evil'; END $$;";
  }
  db_.exec(evil);
  db_.exec(
      "SELECT setval(wakeup, (extract(epoch FROM now()) * 1000)::bigint + 60000)"
      " FROM rowrunner.kinds");
  pqxx::connection other(db_.url());
  pqxx::work tx(other);
  tx.exec("SET LOCAL ROLE rowrunner_app");
  tx.exec("SET LOCAL search_path = evil, pg_catalog, public");
  EXPECT_THROW(pqxx::subtransaction(tx).exec("SELECT 1 = 2"), pqxx::sql_error);
  tx.exec(
      "INSERT INTO letter_jobs (batch_id, recipient, status, run_at) VALUES"
      " ('p', 'due', 'queued', '-infinity'), ('p', 'later', 'queued', '9999-01-01'),"
      " ('p', 'held', 'queued', 'infinity'),"
      " ('p', 'dead', 'failed', '-infinity'), ('p', 'done', 'succeeded', '-infinity')");
  tx.exec("RESET ROLE");
  tx.commit();
  EXPECT_EQ(lost_jobs(db_), "0 0");
}

TEST_F(roles, an_application_wakes_a_sleeping_worker) {
  db_.exec(
      "SELECT setval(wakeup, (extract(epoch FROM now()) * 1000)::bigint + 60000)"
      " FROM rowrunner.kinds");
  EXPECT_EQ(as("rowrunner_app", "INSERT INTO letter_jobs (batch_id, recipient) VALUES ('p', 'a')"),
            "");
  EXPECT_EQ(db_.value("SELECT pg_sequence_last_value(wakeup) FROM rowrunner.kinds"), "1");
}

TEST_F(roles, an_application_requeues_through_the_function) {
  const auto id = insert_job(db_, "a", "status", "'failed'");
  EXPECT_EQ(value_as("rowrunner_app", "SELECT rowrunner.requeue('letter', '" + id + "')"), "t");
  EXPECT_EQ(claim_names(db_), "a");
}

TEST_F(roles, an_application_may_change_nothing_itself) {
  insert_job(db_, "a");
  for (const std::string sql :
       {"UPDATE letter_jobs SET status = 'queued'", "DELETE FROM letter_jobs",
        "TRUNCATE letter_jobs", "SELECT rowrunner.claim('letter', 'x')",
        "SELECT rowrunner.attach('letter_jobs', kind => 'x')",
        "UPDATE rowrunner.kinds SET paused = true",
        "INSERT INTO rowrunner.queue VALUES (1, 0, 1, rowrunner.new_id())",
        "CREATE TABLE rowrunner.mine ()", "SELECT nextval('rowrunner.queue_back')"}) {
    EXPECT_EQ(as("rowrunner_app", sql), denied_) << sql;
  }
}

TEST_F(roles, an_application_cancels_a_waiting_and_a_running_job) {
  const auto waiting = insert_job(db_, "a");
  EXPECT_EQ(value_as("rowrunner_app", "SELECT rowrunner.cancel('letter', '" + waiting + "')"),
            "cancelled");
  const auto running = insert_job(db_, "b");
  EXPECT_EQ(claim_names(db_), "b");
  EXPECT_EQ(value_as("rowrunner_app", "SELECT rowrunner.cancel('letter', '" + running + "')"),
            "requested");
}

TEST_F(roles, a_worker_claims_and_ends_jobs) {
  const std::string worker = "rowrunner_worker";
  for (const std::string name : {"a", "b", "c", "d"}) insert_job(db_, name);
  const auto claim = [&] {
    const auto job = value_as(worker,
                              "SELECT (c->>'id') || ' ' || (c->>'lease')"
                              " FROM rowrunner.claim('letter', 'w') c");
    return "'letter', '" + job.substr(0, 36) + "', " + job.substr(37);
  };
  EXPECT_EQ(value_as(worker, "SELECT rowrunner.succeed(" + claim() + ")"), "t");
  EXPECT_EQ(value_as(worker, "SELECT rowrunner.fail(" + claim() + ", 'boom', final => true)"),
            "failed");
  const auto job = claim();
  EXPECT_EQ(value_as(worker, "SELECT rowrunner.step(" + job + ", 's', '1')"), "t");
  EXPECT_EQ(value_as(worker, "SELECT rowrunner.add_step(" + job + ", 's', '1')"), "f");
  EXPECT_EQ(value_as(worker, "SELECT rowrunner.progress(" + job + ", 1, 2)"), "t");
  EXPECT_EQ(value_as(worker, "SELECT rowrunner.heartbeat(" + job.substr(job.rfind(',') + 1) + ")"),
            "t");
  EXPECT_EQ(value_as(worker, "SELECT rowrunner.release(" + job + ")"), "t");
  EXPECT_EQ(as(worker, "SELECT rowrunner.rescue(id) FROM rowrunner.kinds"), "");
  EXPECT_EQ(as(worker, "UPDATE rowrunner.kinds SET paused = true"), "");
  EXPECT_EQ(
      as(worker, "INSERT INTO rowrunner.counters (minute, kind, worker) VALUES (now(), 1, 'w')"),
      "");
}

TEST_F(roles, a_worker_attaches_nothing_and_migrates_nothing) {
  for (const std::string sql :
       {"SELECT rowrunner.attach('letter_jobs', kind => 'letter')",
        "SELECT rowrunner.detach('letter')", "DELETE FROM rowrunner.kinds",
        "UPDATE rowrunner.kinds SET job_table = 'pg_class'", "CREATE TABLE rowrunner.mine ()",
        "SELECT rowrunner.wake(wakeup, 'x') FROM rowrunner.kinds",
        "UPDATE rowrunner.schema_info SET version = 1", "SELECT FROM rowrunner.migrations",
        "DROP TABLE rowrunner.queue"}) {
    EXPECT_EQ(as("rowrunner_worker", sql), denied_) << sql;
  }
}

}  // namespace
}  // namespace rowrunner::testing
