// No row of an application keeps a relay job from ending.
#include <gtest/gtest.h>

#include "support/postgres.hpp"

namespace rowrunner::testing {
namespace {

TEST(relay_end, is_not_refused_whatever_the_row_says_of_its_summary) {
  test_database db(test_database::contents::workloads);
  const std::string insert =
      "INSERT INTO ocr_relay_jobs (job_id, order_id, file_id, prompt, masters_json, webhook_url,"
      " idempotency_key, summary_id, summary_wait)"
      " VALUES ('j', 'o', 'f', 'p', '{}', 'https://a/', 'k', rowrunner.new_id(), '-1 s')";
  EXPECT_THROW(db.exec(insert), pqxx::check_violation);
  // As a row that was there before the constraint.
  db.exec("ALTER TABLE ocr_relay_jobs DROP CONSTRAINT ocr_relay_jobs_summary_wait");
  db.exec(insert);
  EXPECT_NO_THROW(db.exec("UPDATE ocr_relay_jobs SET status = 'failed'"));
}

}  // namespace
}  // namespace rowrunner::testing
