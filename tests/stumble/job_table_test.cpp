// What new users bring as their first job table.
#include "support/job_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/jobs.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

TEST(job_table, another_default_for_the_status_is_refused_with_the_alter_that_helps) {
  test_database db;
  create_my_jobs(db, {{"status", "text NOT NULL DEFAULT 'open'"}});
  EXPECT_THAT(error_of(db, attach_mine),
              HasSubstr("the default of status is 'open'::text: ALTER TABLE public.my_jobs"
                        " ALTER COLUMN status SET DEFAULT 'queued'"));
  db.exec("ALTER TABLE my_jobs ALTER COLUMN status SET DEFAULT 'queued'");
  db.exec(attach_mine);
  db.exec("INSERT INTO my_jobs (name) VALUES ('a')");
  EXPECT_EQ(db.value("SELECT rowrunner.claim('mine', 'w')->>'name'"), "a");
}

TEST(job_table, a_default_for_the_status_that_cannot_be_tried_is_refused) {
  test_database db;
  db.exec("CREATE FUNCTION first_status() RETURNS text LANGUAGE sql AS $$ SELECT 'queued' $$");
  create_my_jobs(db, {{"status", "text NOT NULL DEFAULT first_status()"}});
  EXPECT_THAT(error_of(db, attach_mine),
              HasSubstr("the default of status is public.first_status()"));
}

TEST(job_table, bigint_keys_stay_as_a_further_column) {
  test_database db;
  create_my_jobs(db, {{"id", "bigint GENERATED ALWAYS AS IDENTITY"}});
  EXPECT_THAT(error_of(db, attach_mine),
              HasSubstr("column id is bigint, must be uuid: keep the number as a further column"));
  // As docs/job-tables.md says.
  db.exec("ALTER TABLE my_jobs RENAME COLUMN id TO number");
  db.exec(
      "ALTER TABLE my_jobs DROP CONSTRAINT my_jobs_pkey, ADD UNIQUE (number),"
      " ADD COLUMN id uuid PRIMARY KEY DEFAULT rowrunner.new_id()");
  db.exec(attach_mine);
  db.exec("INSERT INTO my_jobs (name) VALUES ('a')");
  EXPECT_EQ(db.value("SELECT rowrunner.claim('mine', 'w')->>'number'"), "1");
}

}  // namespace
}  // namespace rowrunner::testing
