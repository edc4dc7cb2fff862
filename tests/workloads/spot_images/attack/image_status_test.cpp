// A place's word is the word of its job as it ended, also where rowrunner.on_update changed it once
// more.
#include <gtest/gtest.h>

#include "workloads/spot_images/support/spot_database.hpp"

namespace rowrunner::testing {
namespace {

class image_status_attack : public ::testing::Test {
 protected:
  image_status_attack() {
    db_.exec("INSERT INTO travel_plans (plan_id, title) VALUES ('plan', 'Plan')");
    db_.exec("INSERT INTO spots (plan_id, spot_name) VALUES ('plan', 'a')");
    id_ = insert_job(db_, "a");
    lease_ = db_.value("SELECT rowrunner.claim('spot_image', 'w')->>'lease'");
    EXPECT_EQ(db_.value("SELECT rowrunner.cancel('spot_image', '" + id_ + "')"), "requested");
  }

  void expect_both_failed() {
    EXPECT_EQ(db_.value("SELECT status FROM spot_image_jobs"), "failed");
    EXPECT_EQ(db_.value("SELECT image_status FROM spots"), "failed");
  }

  spot_database db_;
  std::string id_;
  std::string lease_;
};

TEST_F(image_status_attack, of_a_cancelled_job_that_is_released) {
  db_.exec("SELECT rowrunner.release('spot_image', '" + id_ + "', " + lease_ + ")");
  expect_both_failed();
}

TEST_F(image_status_attack, of_a_cancelled_job_that_is_put_back_by_hand) {
  db_.exec("UPDATE spot_image_jobs SET status = 'queued'");
  expect_both_failed();
}

}  // namespace
}  // namespace rowrunner::testing
