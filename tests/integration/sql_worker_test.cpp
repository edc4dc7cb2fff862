// The SQL functions for workers in other languages.
#include <gtest/gtest.h>

#include "support/jobs.hpp"

namespace rowrunner::testing {
namespace {

class sql_worker : public ::testing::Test {
 protected:
  struct claimed {
    std::string id;
    std::string lease;
    // The first arguments of the functions that end a job.
    std::string arguments() const { return "'letter', '" + id + "', " + lease; }
  };

  claimed claim(const std::string& lease_for = "10 seconds") {
    const auto rows = db_.rows(
        "SELECT c->>'id', c->>'lease' FROM rowrunner.claim('letter', 'w',"
        " 1, '" +
        lease_for + "') c");
    if (rows.empty()) return {};
    return {rows[0][0].as<std::string>(), rows[0][1].as<std::string>()};
  }

  std::string call(const std::string& function_and_arguments) {
    return db_.value("SELECT rowrunner." + function_and_arguments);
  }

  // status, attempts and error, as "queued 1 boom".
  std::string state(const std::string& id) {
    return db_.value(
        "SELECT concat_ws(' ', status, attempts, last_error) FROM letter_jobs"
        " WHERE id = '" +
        id + "'");
  }

  std::string leases() { return db_.value("SELECT count(*) FROM rowrunner.leases"); }

  void TearDown() override { EXPECT_EQ(lost_jobs(db_), "0 0"); }

  test_database db_;
};

TEST_F(sql_worker, claims_by_priority_and_then_by_age) {
  insert_job(db_, "late");
  insert_job(db_, "later");
  insert_job(db_, "urgent", "priority", "-1");
  insert_job(db_, "idle", "priority", "9");
  insert_job(db_, "latest");
  EXPECT_EQ(claim_names(db_), "urgent late later latest idle");
}

TEST_F(sql_worker, a_claim_names_its_jobs_and_its_worker) {
  insert_job(db_, "a");
  insert_job(db_, "b");
  EXPECT_EQ(db_.value("SELECT count(DISTINCT c->>'lease') || ' ' || count(*) FROM"
                      " rowrunner.claim('letter', 'w', 10) c"),
            "1 2");
  EXPECT_EQ(db_.value("SELECT worker || ' ' || cardinality(job_ids) FROM rowrunner.leases"), "w 2");
  EXPECT_EQ(db_.value("SELECT string_agg(DISTINCT status || ' ' || locked_by, ',')"
                      " FROM letter_jobs"),
            "processing w");
}

TEST_F(sql_worker, the_last_job_to_end_takes_the_lease_with_it) {
  insert_job(db_, "a");
  insert_job(db_, "b");
  const auto rows =
      db_.rows("SELECT c->>'id', c->>'lease' FROM rowrunner.claim('letter', 'w', 2) c");
  const claimed a{rows[0][0].as<std::string>(), rows[0][1].as<std::string>()};
  const claimed b{rows[1][0].as<std::string>(), rows[1][1].as<std::string>()};
  EXPECT_EQ(call("succeed(" + a.arguments() + ")"), "t");
  EXPECT_EQ(leases(), "1");
  EXPECT_EQ(call("succeed(" + b.arguments() + ")"), "t");
  EXPECT_EQ(leases(), "0");
  EXPECT_EQ(state(a.id), "succeeded 0");
}

TEST_F(sql_worker, a_failure_is_charged_until_none_is_left) {
  insert_job(db_, "a");
  auto job = claim();
  EXPECT_EQ(call("fail(" + job.arguments() + ", 'first', retry_after => '0')"), "queued");
  EXPECT_EQ(state(job.id), "queued 1 first");
  job = claim();
  EXPECT_EQ(call("fail(" + job.arguments() + ", 'second', retry_after => '0')"), "queued");
  job = claim();
  EXPECT_EQ(call("fail(" + job.arguments() + ", 'third')"), "failed");
  EXPECT_EQ(state(job.id), "failed 3 third");
  EXPECT_EQ(
      db_.value("SELECT string_agg(attempt || ' ' || worker || ' ' || error, ', ' ORDER BY id)"
                " FROM rowrunner.attempts"),
      "1 w first, 2 w second, 3 w third");
  EXPECT_EQ(db_.value("SELECT attempts || ' ' || error FROM rowrunner.failures"), "3 third");
  EXPECT_EQ(leases(), "0");
}

TEST_F(sql_worker, a_retry_waits_its_time) {
  insert_job(db_, "a");
  const auto job = claim();
  EXPECT_EQ(call("fail(" + job.arguments() + ", 'busy', retry_after => '1 hour')"), "queued");
  EXPECT_EQ(claim_names(db_), "");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.delayed"), "1");
}

TEST_F(sql_worker, a_final_failure_ends_the_job_at_once) {
  insert_job(db_, "a");
  const auto job = claim();
  EXPECT_EQ(call("fail(" + job.arguments() + ", 'no such place', final => true)"), "failed");
  EXPECT_EQ(state(job.id), "failed 1 no such place");
}

TEST_F(sql_worker, a_released_job_is_uncharged_and_comes_first) {
  insert_job(db_, "a");
  insert_job(db_, "b");
  const auto job = claim();
  EXPECT_EQ(call("release(" + job.arguments() + ")"), "t");
  EXPECT_EQ(state(job.id), "queued 0");
  EXPECT_EQ(claim_names(db_), "a b");
}

TEST_F(sql_worker, a_heartbeat_keeps_a_lease) {
  insert_job(db_, "a");
  const auto job = claim("1 us");
  EXPECT_EQ(call("heartbeat(" + job.lease + ", '10 seconds')"), "t");
  EXPECT_EQ(claim_names(db_), "");  // it would have been rescued
  EXPECT_EQ(call("succeed(" + job.arguments() + ")"), "t");
}

TEST_F(sql_worker, everything_under_a_lost_lease_is_refused) {
  insert_job(db_, "a");
  const auto lost = claim("1 us");
  const auto held = claim();  // rescues it first
  ASSERT_EQ(lost.id, held.id);
  ASSERT_NE(lost.lease, held.lease);
  EXPECT_EQ(call("heartbeat(" + lost.lease + ")"), "f");
  EXPECT_EQ(call("succeed(" + lost.arguments() + ")"), "f");
  EXPECT_EQ(call("fail(" + lost.arguments() + ", 'late')"), "");
  EXPECT_EQ(call("release(" + lost.arguments() + ")"), "f");
  EXPECT_EQ(state(held.id), "processing 1 worker w was lost");
  EXPECT_EQ(call("succeed(" + held.arguments() + ")"), "t");
  EXPECT_EQ(call("succeed(" + held.arguments() + ")"), "f");  // once
  EXPECT_EQ(call("fail(" + held.arguments() + ", 'late')"), "");
  EXPECT_EQ(state(held.id), "succeeded 1 worker w was lost");
}

TEST_F(sql_worker, a_step_is_added_once_and_only_under_its_lease) {
  insert_job(db_, "a");
  const auto lost = claim("1 us");
  EXPECT_EQ(call("add_step(" + lost.arguments() + ", 'page', '1')"), "t");
  EXPECT_EQ(call("add_step(" + lost.arguments() + ", 'page', '2')"), "f");
  const auto held = claim();  // rescues it first
  ASSERT_EQ(lost.id, held.id);
  EXPECT_EQ(call("add_step(" + lost.arguments() + ", 'late', '3')"), "");
  EXPECT_EQ(call("add_step(" + held.arguments() + ", 'page', '4')"), "f");
  EXPECT_EQ(call("add_step(" + held.arguments() + ", 'next')"), "t");
  EXPECT_EQ(call("steps('letter', '" + held.id + "')"), R"({"next": null, "page": 1})");
  EXPECT_EQ(state(held.id), "processing 0 worker w was lost") << "it had stored a step";
  EXPECT_EQ(call("succeed(" + held.arguments() + ")"), "t");
  EXPECT_EQ(call("add_step(" + held.arguments() + ", 'after the end')"), "");
  EXPECT_NE(error_of(db_, "SELECT rowrunner.add_step(" + held.arguments() + ", '')")
                .find("step is NULL or empty"),
            std::string::npos);
  EXPECT_NE(error_of(db_, "SELECT rowrunner.add_step(" + held.arguments() + ", repeat('x', 1001))")
                .find("has 1001 bytes, must have at most 1000"),
            std::string::npos);
}

TEST_F(sql_worker, a_job_that_kills_its_workers_ends) {
  const auto id = insert_job(db_, "poison");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(claim("1 us").id, id);
  EXPECT_EQ(claim().id, "");
  EXPECT_EQ(state(id), "failed 3 worker w was lost");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.attempts"), "3");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.failures"), "1");
  EXPECT_EQ(leases(), "0");
}

TEST_F(sql_worker, a_rescue_leaves_ended_jobs_alone) {
  insert_job(db_, "a");
  insert_job(db_, "b");
  const auto rows = db_.rows(
      "SELECT c->>'id', c->>'lease' FROM"
      " rowrunner.claim('letter', 'w', 2, '1 us') c");
  const claimed a{rows[0][0].as<std::string>(), rows[0][1].as<std::string>()};
  EXPECT_EQ(call("succeed(" + a.arguments() + ")"), "t");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.rescue(1::smallint)"), "1");
  EXPECT_EQ(state(a.id), "succeeded 0");
}

TEST_F(sql_worker, a_paused_kind_starts_nothing) {
  insert_job(db_, "a");
  db_.exec("UPDATE rowrunner.kinds SET paused = true");
  EXPECT_EQ(claim().id, "");
  db_.exec("UPDATE rowrunner.kinds SET paused = false");
  EXPECT_EQ(claim_names(db_), "a");
}

TEST_F(sql_worker, cancels_a_waiting_job_and_asks_a_running_one) {
  const auto waiting = insert_job(db_, "a");
  EXPECT_EQ(call("cancel('letter', '" + waiting + "', 'no use')"), "cancelled");
  EXPECT_EQ(state(waiting), "failed 0 cancelled: no use");
  EXPECT_EQ(call("cancel('letter', '" + waiting + "')"), "failed");  // over already
  insert_job(db_, "b");
  const auto running = claim();
  EXPECT_EQ(call("cancel('letter', '" + running.id + "')"), "requested");
  EXPECT_EQ(call("cancel('letter', '" + running.id + "')"), "requested");
  EXPECT_EQ(db_.value("SELECT lease || ' ' || reason FROM rowrunner.cancellations"),
            running.lease + " cancelled");
  EXPECT_EQ(call("cancel('letter', '00000000-0000-0000-0000-000000000000')"), "");
}

TEST_F(sql_worker, a_cancelled_job_of_a_lost_worker_does_not_run_again) {
  insert_job(db_, "a");
  const auto job = claim("1 us");
  EXPECT_EQ(call("cancel('letter', '" + job.id + "', 'no use')"), "requested");
  EXPECT_EQ(claim().id, "");
  EXPECT_EQ(state(job.id), "failed 1 cancelled: no use");
}

// now() is when the transaction began, and many drivers begin one long before they claim.
TEST_F(sql_worker, a_claim_in_an_old_transaction_does_not_lose_a_newer_job) {
  pqxx::connection other(db_.url());
  pqxx::work old(other);
  EXPECT_TRUE(old.exec("SELECT rowrunner.claim('letter', 'w')").empty());
  insert_job(db_, "a");
  EXPECT_EQ(old.exec("SELECT rowrunner.claim('letter', 'w')").size(), 1u);
  old.commit();
}

TEST_F(sql_worker, an_unknown_kind_is_named_with_those_there_are) {
  const auto error = error_of(db_, "SELECT rowrunner.claim('nope', 'w')");
  EXPECT_NE(error.find("unknown kind 'nope'"), std::string::npos) << error;
  EXPECT_NE(error.find("Attached kinds: letter"), std::string::npos) << error;
}

}  // namespace
}  // namespace rowrunner::testing
