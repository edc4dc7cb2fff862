// What a worker in another language meets: the SQL functions, and drivers that are not C++.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/jobs.hpp"
#include "support/jobs_database.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class sql_route : public ::testing::Test {
 protected:
  nlohmann::json claim(const std::string& worker = "w", const std::string& lease_for = "10 s") {
    const auto job =
        db_.value("SELECT rowrunner.claim('test', '" + worker + "', 1, '" + lease_for + "')");
    return job.empty() ? nlohmann::json() : nlohmann::json::parse(job);
  }

  /// Calls a function that names a job by its kind, id and lease.
  std::string call(const std::string& function, const nlohmann::json& job,
                   const std::string& more = "") {
    return db_.value("SELECT rowrunner." + function + "('test', '" + job["id"].get<std::string>() +
                     "', '" + job["lease"].get<std::string>() + "'" + more + ")");
  }

  std::string counted(const std::string& what) {
    return db_.value("SELECT sum(" + what + ") FROM rowrunner.counters");
  }

  jobs_database db_;
};

TEST_F(sql_route, a_claim_goes_on_behind_any_number_of_stale_entries) {
  db_.exec("INSERT INTO test_jobs (name) SELECT 'gone' || i FROM generate_series(1, 3000) i");
  db_.exec("DELETE FROM test_jobs");
  db_.exec("INSERT INTO test_jobs (name) SELECT 'moved' || i FROM generate_series(1, 50) i");
  db_.exec("UPDATE test_jobs SET priority = 1");
  db_.add("low");
  db_.exec("UPDATE test_jobs SET priority = 2 WHERE name = 'low'");
  db_.exec("DELETE FROM test_jobs WHERE name LIKE 'moved%'");
  EXPECT_EQ(claim()["name"], "low");
  EXPECT_TRUE(claim().is_null());
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.queue"), "0");
}

TEST_F(sql_route, a_claim_ends_beside_entries_and_rows_of_others) {
  for (const char* name : {"entry held", "row held", "free"}) db_.add(name);
  pqxx::connection other(db_.url());
  pqxx::work tx(other);
  tx.exec(
      "SELECT FROM rowrunner.queue q JOIN test_jobs j ON j.id = q.job_id"
      " WHERE j.name = 'entry held' FOR UPDATE OF q");
  tx.exec("SELECT FROM test_jobs WHERE name = 'row held' FOR UPDATE");
  EXPECT_EQ(claim()["name"], "free");
  EXPECT_TRUE(claim().is_null());
  tx.commit();
  EXPECT_EQ(claim()["name"], "entry held");
  EXPECT_EQ(claim()["name"], "row held");
  EXPECT_THAT(db_.violations(), IsEmpty());
}

TEST_F(sql_route, a_job_that_cannot_be_claimed_costs_the_others_nothing) {
  for (const char* name : {"bad", "a", "b", "c"}) db_.add(name);
  db_.exec("ALTER TABLE test_jobs ADD CONSTRAINT never CHECK (name <> 'bad') NOT VALID");
  EXPECT_EQ(claim()["name"], "a");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.claim('test', 'w', 10)"), "2");
  EXPECT_TRUE(claim().is_null());
  EXPECT_THAT(db_.value("SELECT error FROM rowrunner.claim_errors"), HasSubstr("never"));
  // It comes back by itself when the reason is gone.
  db_.exec("ALTER TABLE test_jobs DROP CONSTRAINT never");
  db_.exec("UPDATE rowrunner.delayed SET run_at = now()");
  EXPECT_EQ(claim()["name"], "bad");
}

TEST_F(sql_route, a_job_whose_update_a_trigger_suppresses_keeps_an_entry) {
  db_.exec(
      "CREATE FUNCTION public.never() RETURNS trigger LANGUAGE plpgsql AS"
      " 'BEGIN RETURN NULL; END'");
  db_.exec(
      "CREATE TRIGGER never BEFORE UPDATE ON test_jobs FOR EACH ROW"
      " WHEN (NEW.name = 'bad') EXECUTE FUNCTION public.never()");
  db_.add("bad");
  db_.add("a");
  EXPECT_EQ(claim()["name"], "a");
  EXPECT_TRUE(claim().is_null());
  db_.exec("DROP TRIGGER never ON test_jobs");
  db_.exec("UPDATE rowrunner.delayed SET run_at = now()");
  EXPECT_EQ(claim()["name"], "bad");
}

// The client adds the SQLSTATE of an error to its text.
TEST_F(sql_route, an_error_of_the_table_has_its_sqlstate_once) {
  db_.add("a");
  db_.exec(
      "CREATE FUNCTION public.audit() RETURNS trigger LANGUAGE plpgsql AS"
      " 'BEGIN INSERT INTO public.aud VALUES (1); RETURN NEW; END';"
      "CREATE TRIGGER audit BEFORE UPDATE ON test_jobs FOR EACH ROW EXECUTE FUNCTION audit()");
  const auto claim =
      "SELECT rowrunner.claim_each(id, '-32768', '-9223372036854775808', 10, 7, 'w', 1000)"
      " FROM rowrunner.kinds WHERE kind = 'test'";
  EXPECT_EQ(sqlstate_of(db_, claim), "42P01");
  EXPECT_THAT(error_of(db_, claim), AllOf(HasSubstr("relation \"public.aud\" does not exist"),
                                          Not(HasSubstr("SQLSTATE"))));
}

TEST_F(sql_route, a_claim_refuses_a_table_of_which_it_sees_a_part) {
  db_.add("a");
  db_.exec(
      "ALTER TABLE test_jobs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;"
      "CREATE ROLE limited" +
      db_.name() +
      " IN ROLE rowrunner_worker;"
      "GRANT USAGE ON SCHEMA public TO rowrunner_worker");
  {
    pqxx::work tx(db_.connection());
    tx.exec("SET LOCAL ROLE limited" + db_.name());
    EXPECT_THROW(tx.exec("SELECT rowrunner.claim('test', 'w')"), pqxx::insufficient_privilege);
  }
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.queue"), "1");
  db_.exec("DROP ROLE limited" + db_.name());
}

// 63 bits: a double keeps 53 of them.
TEST_F(sql_route, the_lease_survives_node) {
  db_.add("a");
  const auto script = R"js(
    const { execFileSync } = require('child_process');
    const sql = (text) => execFileSync('psql', ['-XqAt', '-d', process.argv[1], '-c', text])
      .toString().trim();
    const job = JSON.parse(sql("SELECT rowrunner.claim('test', 'node')"));
    const named = `'test', '${job.id}', '${job.lease}'`;
    console.log(sql(`SELECT rowrunner.heartbeat('${job.lease}')`));
    console.log(sql(`SELECT rowrunner.succeed(${named})`));
  )js";
  const auto ran = run_process({"node", "-e", script, db_.url()});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "t\nt\n");
  EXPECT_EQ(db_.status("a"), "succeeded");
}

TEST_F(sql_route, a_heartbeat_keeps_the_length_of_the_claim) {
  db_.add("a");
  const auto job = claim("w", "1 hour");
  const auto lease = "'" + job["lease"].get<std::string>() + "'";
  const std::string rest = "SELECT expires_at > now() + interval '59 min' FROM rowrunner.leases";
  EXPECT_EQ(db_.value("SELECT rowrunner.heartbeat(" + lease + ")"), "t");
  EXPECT_EQ(db_.value(rest), "t");
  EXPECT_EQ(db_.value("SELECT rowrunner.heartbeat(" + lease + ", '1 min')"), "t");
  EXPECT_EQ(db_.value(rest), "f");
}

TEST_F(sql_route, workers_and_what_they_did_are_counted) {
  db_.add("good");
  db_.add("flaky");
  db_.add("back");
  db_.add("lost");
  EXPECT_EQ(call("succeed", claim("a")), "t");
  EXPECT_EQ(call("fail", claim("a"), ", 'no', '1 hour'"), "queued");
  EXPECT_EQ(call("release", claim("b")), "t");
  const auto back = claim("b");
  EXPECT_EQ(call("fail", back, ", 'no', final => true"), "failed");
  EXPECT_FALSE(claim("b", "1 us").is_null());
  EXPECT_FALSE(claim("b").is_null());  // rescues it first
  EXPECT_EQ(counted("claimed"), "6");
  EXPECT_EQ(counted("succeeded"), "1");
  EXPECT_EQ(counted("retried"), "1");
  EXPECT_EQ(counted("released"), "1");
  EXPECT_EQ(counted("failed"), "1");
  EXPECT_EQ(counted("rescued"), "1");
  const auto stats =
      run_process({rowrunner_binary(), "stats", "--json", "--database-url", db_.url()});
  ASSERT_EQ(stats.exit_code, 0) << stats.err;
  const auto shown = nlohmann::json::parse(stats.out).dump();
  EXPECT_THAT(shown, HasSubstr("\"workers\":2"));
}

// A worker that lives only by the heartbeats of a long job is seen all the same.
TEST_F(sql_route, a_heartbeat_keeps_the_worker_counted) {
  db_.add("a");
  const auto job = claim("w", "1 hour");
  db_.exec("UPDATE rowrunner.workers SET seen_at = now() - interval '1 hour'");
  db_.exec("SELECT rowrunner.heartbeat('" + job["lease"].get<std::string>() + "')");
  EXPECT_EQ(db_.value("SELECT seen_at > now() - interval '1 min' FROM rowrunner.workers"), "t");
}

TEST_F(sql_route, sessions_of_one_name_do_not_wait_for_each_other) {
  for (const char* name : {"a", "b", "c"}) db_.add(name);
  pqxx::connection other(db_.url());
  pqxx::work tx(other);
  const auto first = nlohmann::json::parse(
      tx.exec("SELECT rowrunner.claim('test', 'same', 1, '1 hour')")[0][0].as<std::string>());
  tx.exec("SELECT rowrunner.succeed('test', '" + first["id"].get<std::string>() + "', '" +
          first["lease"].get<std::string>() + "')");
  db_.exec("SET lock_timeout = '10s'");
  EXPECT_EQ(call("succeed", claim("same")), "t");
  EXPECT_EQ(call("fail", claim("same"), ", 'no'"), "queued");
  tx.commit();
  EXPECT_EQ(counted("succeeded"), "2");
}

TEST_F(sql_route, a_wrong_claim_is_refused_and_touches_no_job) {
  for (const char* name : {"a", "b"}) db_.add(name);
  for (const char* arguments : {"'w', -1", "'w', 0", "'w', NULL", "NULL", "''", "'w', 1, NULL",
                                "'w', 1, '-1 s'", "'w', 1, '0'", "'w', 1, '1 day 1 s'"}) {
    const auto claim = "SELECT rowrunner.claim('test', " + std::string(arguments) + ")";
    EXPECT_EQ(sqlstate_of(db_, claim), "22023") << arguments;
  }
  EXPECT_THAT(error_of(db_, "SELECT rowrunner.claim('test', 'w', -1)"),
              HasSubstr("at_most is -1, must be 1 or more"));
  EXPECT_THAT(error_of(db_, "SELECT rowrunner.claim('test', 'w', 1, '-1 s')"),
              HasSubstr("lease_for is -00:00:01, must be more than 0 and at most a day"));
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.queue"), "2");
  for (const char* table : {"claim_errors", "leases", "workers", "delayed"}) {
    EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner." + std::string(table)), "0") << table;
  }
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.claim('test', 'w', 2, '1 day')"), "2");
}

TEST_F(sql_route, wrong_arguments_for_a_running_job_are_refused) {
  db_.add("a");
  const auto job = claim();
  const auto lease = "'" + job["lease"].get<std::string>() + "'";
  const auto named = "'test', '" + job["id"].get<std::string>() + "', " + lease;
  for (const std::string& wrong :
       {"heartbeat(" + lease + ", '0')", "heartbeat(" + lease + ", '-1 s')",
        "heartbeat(" + lease + ", '2 days')", "fail(" + named + ", NULL)",
        "fail(" + named + ", 'no', NULL)", "fail(" + named + ", 'no', '-1 s')",
        "fail(" + named + ", 'no', final => NULL)", "step(" + named + ", NULL)",
        "step(" + named + ", '')", "step(" + named + ", repeat('x', 10240))",
        "progress(" + named + ", -1, 2)", "progress(" + named + ", 1, NULL)"}) {
    EXPECT_EQ(sqlstate_of(db_, "SELECT rowrunner." + wrong), "22023") << wrong;
  }
  EXPECT_EQ(db_.status("a"), "processing");
  EXPECT_EQ(call("succeed", job), "t");
}

TEST_F(sql_route, a_job_that_a_rescue_ends_counts_as_failed) {
  db_.add("poison", "ok", 0, 0, 1);
  db_.add("cancelled", "ok", 0, 0, 1);
  EXPECT_EQ(claim("w", "1 hour")["name"], "poison");
  const auto cancelled = claim("w", "1 hour")["id"].get<std::string>();
  EXPECT_EQ(db_.value("SELECT rowrunner.cancel('test', '" + cancelled + "')"), "requested");
  // As for a table whose CHECK does not know 'cancelled'.
  db_.exec("UPDATE rowrunner.kinds SET cancelled_status = 'failed' WHERE kind = 'test'");
  db_.exec("UPDATE rowrunner.leases SET expires_at = now() - interval '1 s'");
  EXPECT_TRUE(claim().is_null());
  EXPECT_EQ(db_.status("poison"), "failed");
  EXPECT_EQ(db_.status("cancelled"), "failed");
  EXPECT_EQ(counted("rescued"), "2");
  EXPECT_EQ(counted("failed"), "1");
}

TEST_F(sql_route, steps_and_progress_count_under_the_lease) {
  const auto id = db_.add("a");
  const auto lost = claim("w", "1 us");
  EXPECT_EQ(call("step", lost, ", 'sketch', '{\"file\": 1}'"), "t");
  EXPECT_EQ(call("step", lost, ", 'colours'"), "t");
  EXPECT_EQ(call("progress", lost, ", 1, 3, 'sketched'"), "t");
  const auto held = claim();
  ASSERT_EQ(held["id"], id);
  EXPECT_EQ(call("step", lost, ", 'sketch', '2'"), "f");
  EXPECT_EQ(call("progress", lost, ", 3, 3"), "f");
  EXPECT_EQ(nlohmann::json::parse(db_.value("SELECT rowrunner.steps('test', '" + id + "')")),
            nlohmann::json::parse(R"({"sketch": {"file": 1}, "colours": null})"));
  EXPECT_EQ(call("step", held, ", 'sketch', '2'"), "t");
  EXPECT_EQ(call("progress", held, ", 2, 3"), "t");
  EXPECT_EQ(db_.value("SELECT rowrunner.steps('test', '" + id + "') ->> 'sketch'"), "2");
  EXPECT_EQ(db_.value("SELECT concat_ws(' ', done, total, message) FROM rowrunner.progress"),
            "2 3 ");
  EXPECT_EQ(call("succeed", held), "t");
  EXPECT_EQ(call("step", held, ", 'late'"), "f");
}

TEST_F(sql_route, an_effect_and_the_end_of_its_job_are_one_transaction) {
  db_.add("a");
  const auto lost = claim("w", "1 us");
  const auto held = claim();
  for (const auto& job : {lost, held}) {
    pqxx::work tx(db_.connection());
    tx.exec("INSERT INTO effects (name) VALUES ('a')");
    const auto ended = tx.exec("SELECT rowrunner.succeed('test', '" + job["id"].get<std::string>() +
                               "', '" + job["lease"].get<std::string>() + "')")[0][0]
                           .as<bool>();
    if (ended) tx.commit();
  }
  EXPECT_EQ(db_.value("SELECT count(*) FROM effects"), "1");
  EXPECT_THAT(db_.violations(), IsEmpty());
}

}  // namespace
}  // namespace rowrunner::testing
