// The status of a place's picture follows its job, whatever session writes the job.
#include <gtest/gtest.h>

#include "workloads/spot_images/support/spot_database.hpp"

namespace rowrunner::testing {
namespace {

class image_status : public ::testing::Test {
 protected:
  image_status() {
    db_.exec("INSERT INTO travel_plans (plan_id, title) VALUES ('plan', 'Plan')");
    add_spot("a");
  }

  void add_spot(const std::string& name) {
    db_.exec("INSERT INTO spots (plan_id, spot_name) VALUES ('plan', '" + name + "')");
  }
  std::string status(const std::string& name = "a") {
    return db_.value("SELECT image_status FROM spots WHERE spot_name = '" + name + "'");
  }
  // Claims the only job; "id', lease" for the calls that end it.
  std::string claim(const std::string& lease_for = "10 seconds") {
    const auto job =
        db_.rows("SELECT j->>'id', j->>'lease' FROM rowrunner.claim('spot_image', 'w', 1, '" +
                 lease_for + "') j")[0];
    return "'" + job[0].as<std::string>() + "', " + job[1].as<std::string>();
  }
  void fail(const std::string& claimed, const std::string& more = "'no', '0 seconds'") {
    db_.exec("SELECT rowrunner.fail('spot_image', " + claimed + ", " + more + ")");
  }

  spot_database db_;
};

TEST_F(image_status, goes_from_not_started_to_succeeded) {
  EXPECT_EQ(status(), "not_started");
  insert_job(db_, "a");
  EXPECT_EQ(status(), "not_started");
  const auto claimed = claim();
  EXPECT_EQ(status(), "processing");
  db_.exec("SELECT rowrunner.succeed('spot_image', " + claimed + ")");
  EXPECT_EQ(status(), "succeeded");
}

TEST_F(image_status, stays_processing_while_a_retry_waits_and_ends_failed) {
  insert_job(db_, "a", "max_attempts", "2");
  fail(claim());
  EXPECT_EQ(db_.value("SELECT status FROM spot_image_jobs"), "queued");
  EXPECT_EQ(status(), "processing");
  fail(claim());
  EXPECT_EQ(status(), "failed");
}

TEST_F(image_status, of_a_job_that_is_released_is_not_started_again) {
  insert_job(db_, "a");
  db_.exec("SELECT rowrunner.release('spot_image', " + claim() + ")");
  EXPECT_EQ(status(), "not_started");
}

TEST_F(image_status, starts_again_when_a_failed_job_is_requeued) {
  const auto id = insert_job(db_, "a");
  fail(claim(), "'no', '0 seconds', true");
  EXPECT_EQ(status(), "failed");
  db_.exec("SELECT rowrunner.requeue('spot_image', '" + id + "')");
  EXPECT_EQ(status(), "not_started");
}

TEST_F(image_status, follows_a_hand_written_update) {
  insert_job(db_, "a", "status, attempts", "'failed', 3");
  EXPECT_EQ(status(), "failed");
  db_.exec("UPDATE spot_image_jobs SET status = 'queued'");
  EXPECT_EQ(db_.value("SELECT attempts FROM spot_image_jobs"), "0");
  EXPECT_EQ(status(), "not_started");
  db_.exec("UPDATE spot_image_jobs SET attempts = 1");
  EXPECT_EQ(status(), "processing");
  db_.exec("UPDATE spot_image_jobs SET status = 'succeeded'");
  EXPECT_EQ(status(), "succeeded");
  db_.exec("UPDATE spot_image_jobs SET status = 'queued', attempts = 0");
  claim();
  db_.exec("UPDATE spot_image_jobs SET status = 'queued'");
  EXPECT_EQ(status(), "not_started");
  db_.exec("UPDATE spot_image_jobs SET status = 'failed'");
  EXPECT_EQ(status(), "failed");
}

TEST_F(image_status, follows_a_rescue) {
  insert_job(db_, "a", "max_attempts", "2");
  claim("1 us");
  EXPECT_EQ(status(), "processing");
  db_.exec("SELECT rowrunner.rescue(id) FROM rowrunner.kinds");
  EXPECT_EQ(db_.value("SELECT status || attempts FROM spot_image_jobs"), "queued1");
  EXPECT_EQ(status(), "processing");
  claim("1 us");
  db_.exec("SELECT rowrunner.rescue(id) FROM rowrunner.kinds");
  EXPECT_EQ(status(), "failed");
}

TEST_F(image_status, of_a_cancelled_job_is_failed) {
  const auto id = insert_job(db_, "a");
  db_.exec("SELECT rowrunner.cancel('spot_image', '" + id + "', 'not wanted')");
  EXPECT_EQ(status(), "failed");
}

TEST_F(image_status, of_a_place_that_comes_after_its_job_is_the_jobs) {
  insert_job(db_, "late", "status", "'failed'");
  add_spot("late");
  EXPECT_EQ(status("late"), "failed");
  insert_job(db_, "later");
  claim();
  add_spot("later");
  EXPECT_EQ(status("later"), "processing");
}

TEST_F(image_status, stays_when_the_job_is_deleted) {
  insert_job(db_, "a", "status", "'failed'");
  db_.exec("DELETE FROM spot_image_jobs");
  EXPECT_EQ(status(), "failed");
}

TEST_F(image_status, changes_only_places_whose_word_changes) {
  add_spot("b");
  insert_job(db_, "a");
  insert_job(db_, "b");
  const auto before = db_.value("SELECT xmin FROM spots WHERE spot_name = 'b'");
  db_.exec("UPDATE spot_image_jobs SET attempts = CASE WHEN spot_name = 'a' THEN 1 ELSE 0 END");
  EXPECT_EQ(status("a"), "processing");
  EXPECT_EQ(db_.value("SELECT xmin FROM spots WHERE spot_name = 'b'"), before);
}

TEST_F(image_status, rolls_back_with_the_job) {
  insert_job(db_, "a");
  {
    pqxx::work tx(db_.connection());
    tx.exec("UPDATE spot_image_jobs SET status = 'failed'");
    EXPECT_EQ(tx.exec("SELECT image_status FROM spots")[0][0].as<std::string>(), "failed");
  }
  EXPECT_EQ(status(), "not_started");
}

TEST_F(image_status, follows_jobs_that_the_application_and_workers_write) {
  pqxx::work tx(db_.connection());
  tx.exec("UPDATE spots SET image_status = 'failed'");
  tx.exec("SET LOCAL ROLE rowrunner_app");
  tx.exec("INSERT INTO spot_image_jobs (plan_id, spot_name) VALUES ('plan', 'a')");
  tx.exec("INSERT INTO spots (plan_id, spot_name) VALUES ('plan', 'b')");
  EXPECT_EQ(tx.exec("SELECT image_status FROM spots")[0][0].as<std::string>(), "not_started");
  tx.exec("SET LOCAL ROLE rowrunner_worker");
  tx.exec("SELECT rowrunner.claim('spot_image', 'w')");
  EXPECT_EQ(tx.exec("SELECT image_status FROM spots WHERE spot_name = 'a'")[0][0].as<std::string>(),
            "processing");
}

TEST_F(image_status, tables_refuse_names_that_are_no_keys) {
  const auto refused = [this](const std::string& name) {
    const std::string values = " (plan_id, spot_name) VALUES ('plan', " + name + ")";
    EXPECT_EQ(sqlstate_of(db_, "INSERT INTO spots" + values), "23514") << name;
    EXPECT_EQ(sqlstate_of(db_, "INSERT INTO spot_image_jobs" + values), "23514") << name;
  };
  refused("''");
  refused("repeat('x', 201)");
  refused("U&'\\304B\\3099'");
  for (const std::string id : {"''", "repeat('x', 101)", "U&'\\304B\\3099'"}) {
    EXPECT_EQ(
        sqlstate_of(db_, "INSERT INTO travel_plans (plan_id, title) VALUES (" + id + ", 't')"),
        "23514");
  }
  EXPECT_EQ(sqlstate_of(db_, "UPDATE spots SET image_status = 'done'"), "23514");
  EXPECT_EQ(sqlstate_of(db_, "INSERT INTO spots (plan_id, spot_name) VALUES ('plan', 'a')"),
            "23505");
}

}  // namespace
}  // namespace rowrunner::testing
