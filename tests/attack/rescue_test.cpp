// Jobs and locks that would keep a rescue from the jobs of other lost workers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class rescue : public ::testing::Test {
 protected:
  /// Claims everything as workers that are lost at once, each with `batch` jobs.
  void lose_workers(int batch) {
    const auto claim = "SELECT count(*) FROM rowrunner.claim('test', 'lost', " +
                       std::to_string(batch) + ", '1 us')";
    while (db_.value("SELECT EXISTS (SELECT FROM rowrunner.queue)") == "t") {
      // Not under leases of each other: nothing may be rescued yet.
      db_.exec("UPDATE rowrunner.leases SET expires_at = now() + interval '1 hour'");
      ASSERT_NE(db_.value(claim), "0");
    }
    db_.exec("UPDATE rowrunner.leases SET expires_at = now() - interval '1 second'");
  }

  /// How many jobs a rescue takes back.
  std::string taken_back(const std::string& at_most = "100") {
    return db_.value("SELECT count(r.status) FROM rowrunner.kinds k, rowrunner.rescue(k.id, " +
                     at_most + ") r WHERE k.kind = 'test'");
  }

  jobs_database db_;
};

TEST_F(rescue, the_largest_number_of_attempts_stops_no_other_job) {
  for (const char* name : {"a", "most", "b"}) db_.add(name);
  lose_workers(3);
  db_.exec("UPDATE test_jobs SET attempts = 2147483647 WHERE name = 'most'");
  EXPECT_EQ(taken_back(), "3");
  EXPECT_EQ(db_.value("SELECT string_agg(name || ' ' || status || ' ' || attempts, ', '"
                      " ORDER BY name) FROM test_jobs"),
            "a queued 1, b queued 1, most failed 2147483647");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.leases"), "0");
}

// A worker that always stores the same step and then dies would otherwise do so for ever.
TEST_F(rescue, a_step_that_was_there_before_saves_no_attempt) {
  db_.add("a");
  for (const char* attempts : {"0", "1"}) {
    lose_workers(1);
    db_.exec("SELECT rowrunner.step('test', id, lease, 'same') FROM test_jobs");
    EXPECT_EQ(taken_back(), "1");
    EXPECT_EQ(db_.value("SELECT attempts FROM test_jobs"), attempts);
  }
}

TEST_F(rescue, the_largest_number_of_attempts_ends_when_it_fails) {
  db_.add("most", "fail");
  db_.add("sql", "fail");
  db_.exec("UPDATE test_jobs SET max_attempts = 2147483647, attempts = 2147483646");
  const auto claimed =
      db_.rows("SELECT c->>'id', c->>'lease', c->>'name' FROM rowrunner.claim('test', 'w') c");
  db_.exec("UPDATE test_jobs SET attempts = 2147483647");
  EXPECT_EQ(db_.value("SELECT rowrunner.fail('test', '" + claimed[0][0].as<std::string>() + "', " +
                      claimed[0][1].as<std::string>() + ", 'no')"),
            "failed");
  worker_thread one(db_);
  EXPECT_TRUE(db_.becomes("SELECT count(*) FROM test_jobs WHERE status = 'failed'", "2"));
  one.stop();
  EXPECT_EQ(db_.value("SELECT min(attempts) FROM test_jobs"), "2147483647");
}

TEST_F(rescue, a_row_that_cannot_be_written_is_put_off_and_costs_no_other_job) {
  for (int i = 0; i < 20; ++i) db_.add("a" + std::to_string(i));
  db_.add("bad");
  for (int i = 0; i < 20; ++i) db_.add("b" + std::to_string(i));
  lose_workers(7);
  db_.exec("ALTER TABLE test_jobs ADD CONSTRAINT never CHECK (name <> 'bad') NOT VALID");
  const auto errors = db_.rows(
      "SELECT j.name, r.error FROM rowrunner.kinds k, rowrunner.rescue(k.id) r"
      " JOIN test_jobs j ON j.id = r.job_id WHERE k.kind = 'test' AND r.error IS NOT NULL");
  ASSERT_EQ(errors.size(), 1);
  EXPECT_EQ(errors[0][0].as<std::string>(), "bad");
  EXPECT_THAT(errors[0][1].as<std::string>(), HasSubstr("never"));
  EXPECT_EQ(db_.value("SELECT count(*) FROM test_jobs WHERE status = 'queued'"), "40");
  EXPECT_EQ(db_.status("bad"), "processing");
  EXPECT_THAT(db_.violations(), IsEmpty());
  // Its lease is put off, longer each time.
  EXPECT_EQ(db_.value("SELECT count(*) || ' ' || bool_and(expires_at > now())"
                      " FROM rowrunner.leases"),
            "1 true");
  EXPECT_EQ(taken_back(), "0");
  db_.exec("UPDATE rowrunner.leases SET failed_rescues = 5, expires_at = now()");
  EXPECT_EQ(taken_back(), "0");
  EXPECT_EQ(db_.value("SELECT failed_rescues || ' ' || (expires_at > now() + interval '30 s')"
                      " FROM rowrunner.leases"),
            "6 true");
  db_.exec(
      "ALTER TABLE test_jobs DROP CONSTRAINT never; UPDATE rowrunner.leases SET"
      " expires_at = now()");
  EXPECT_EQ(taken_back(), "1");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.leases"), "0");
}

TEST_F(rescue, a_worker_runs_the_others_beside_a_row_that_cannot_be_written) {
  for (const char* name : {"a", "bad", "b"}) db_.add(name);
  lose_workers(3);
  db_.exec("ALTER TABLE test_jobs ADD CONSTRAINT never CHECK (name <> 'bad') NOT VALID");
  worker_thread one(db_);
  EXPECT_TRUE(db_.becomes("SELECT count(*) FROM test_jobs WHERE status = 'succeeded'", "2"));
  EXPECT_EQ(one.stop().rescued, 2);
  EXPECT_EQ(db_.status("bad"), "processing");
}

// The missing permission concerns all jobs: it is said aloud, and no lease is put off for it.
TEST_F(rescue, what_concerns_all_rows_is_an_error) {
  db_.add("a");
  lose_workers(1);
  db_.exec("ALTER TABLE test_jobs RENAME COLUMN last_error TO gone");
  EXPECT_THROW(taken_back(), pqxx::undefined_column);
  db_.exec("ALTER TABLE test_jobs RENAME COLUMN gone TO last_error");
  EXPECT_EQ(taken_back(), "1");
}

TEST_F(rescue, leases_of_locked_jobs_do_not_starve_the_others) {
  for (int i = 0; i < 11; ++i) db_.add("a" + std::to_string(i));
  lose_workers(1);
  // All but one are locked, and that one is the last by number and by time.
  db_.exec(
      "UPDATE rowrunner.leases SET expires_at = now() - interval '1 ms'"
      " WHERE lease = (SELECT max(lease) FROM rowrunner.leases)");
  pqxx::connection other(db_.url());
  pqxx::work tx(other);
  tx.exec("SELECT FROM test_jobs WHERE lease < (SELECT max(lease) FROM test_jobs) FOR UPDATE");
  EXPECT_EQ(taken_back("10"), "0");
  EXPECT_EQ(taken_back("10"), "1");
  tx.commit();
  db_.exec("UPDATE rowrunner.leases SET expires_at = now()");
  EXPECT_EQ(taken_back(), "10");
  EXPECT_THAT(db_.violations(), IsEmpty());
}

}  // namespace
}  // namespace rowrunner::testing
