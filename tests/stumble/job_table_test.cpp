// What new users bring as their first job table.
#include "support/job_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/jobs.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

/// The HINT of a statement that must fail.
std::string hint_of(const test_database& db, const std::string& sql) {
  const auto failed = run_process({"psql", "-Xqd", db.url(), "-c", sql});
  EXPECT_NE(failed.exit_code, 0);
  const auto from = failed.err.find("HINT:  ");
  if (from == std::string::npos) return "";
  return failed.err.substr(from + 7, failed.err.find('\n', from) - from - 7);
}

TEST(job_table, without_the_columns_is_refused_with_the_argument_that_adds_them) {
  test_database db;
  db.exec("CREATE TABLE my_jobs (id uuid PRIMARY KEY DEFAULT gen_random_uuid())");
  EXPECT_THAT(hint_of(db, attach_mine),
              HasSubstr("add_columns => true lets attach add the missing columns."));
  create_my_jobs(db, {{"attempts", "text NOT NULL DEFAULT '0'"}});
  EXPECT_THAT(hint_of(db, attach_mine), Not(HasSubstr("add_columns")));
}

TEST(job_table, of_a_superuser_is_not_attached_by_becoming_one) {
  test_database db;
  create_my_jobs(db);
  const auto as = [](const std::string& role) {
    return "BEGIN; GRANT ALL ON SCHEMA rowrunner TO rowrunner_app;"
           "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA rowrunner TO rowrunner_app;" +
           role + "SET LOCAL ROLE rowrunner_app;" + attach_mine;
  };
  EXPECT_EQ(hint_of(db, as("")), "Run: ALTER TABLE public.my_jobs OWNER TO rowrunner_app");
  EXPECT_EQ(hint_of(db, as("ALTER TABLE my_jobs OWNER TO rowrunner_worker;")),
            "Run: GRANT rowrunner_worker TO rowrunner_app, or: ALTER TABLE public.my_jobs OWNER TO"
            " rowrunner_app");
}

TEST(job_table, that_is_not_attached_cannot_be_detached_and_the_kinds_are_listed) {
  test_database db;
  EXPECT_THAT(error_of(db, "SELECT rowrunner.detach('nope')"), HasSubstr("unknown kind 'nope'"));
  EXPECT_EQ(hint_of(db, "SELECT rowrunner.detach('nope')"), "Attached kinds: letter");
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
