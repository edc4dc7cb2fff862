// Casts of a type that the owner of a job table made do not run as the role of the engine.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/jobs_database.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

class column_types : public ::testing::Test {
 protected:
  /// Replaces a column of the job table by one whose casts note who runs them.
  void replace(const std::string& column, const std::string& type) {
    db_.exec("CREATE TABLE ran (who text); GRANT ALL ON ran TO PUBLIC");
    db_.exec("CREATE TYPE own AS (t text)");
    db_.exec("CREATE FUNCTION as_own(own) RETURNS " + type +
             " LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.ran VALUES (current_user);"
             " RETURN NULL; END $$");
    db_.exec("CREATE CAST (own AS " + type + ") WITH FUNCTION as_own(own) AS IMPLICIT");
    db_.exec("ALTER TABLE test_jobs RENAME " + column + " TO old_" + column);
    db_.exec("ALTER TABLE test_jobs ADD COLUMN " + column + " own NOT NULL DEFAULT ROW('0')::own");
  }
  std::string error_of(const std::string& sql) {
    try {
      db_.exec(sql);
    } catch (const pqxx::sql_error& e) {
      return e.what();
    }
    return "";
  }

  jobs_database db_;
};

TEST_F(column_types, an_insert_into_a_table_whose_priority_has_another_type_is_refused) {
  replace("priority", "smallint");
  EXPECT_THAT(error_of("INSERT INTO test_jobs (name) VALUES ('a')"), HasSubstr("another type"));
  EXPECT_EQ(db_.value("SELECT count(*) FROM ran"), "0");
}

TEST_F(column_types, an_update_of_such_a_table_is_refused) {
  db_.exec("INSERT INTO test_jobs (name) VALUES ('a')");
  replace("priority", "smallint");
  EXPECT_THAT(error_of("UPDATE test_jobs SET status = 'failed'"), HasSubstr("another type"));
  EXPECT_EQ(db_.value("SELECT count(*) FROM ran"), "0");
}

TEST_F(column_types, a_delete_from_such_a_table_is_refused) {
  db_.exec("INSERT INTO test_jobs (name) VALUES ('a')");
  replace("run_at", "timestamptz");
  EXPECT_THAT(error_of("DELETE FROM test_jobs"), HasSubstr("another type"));
  EXPECT_EQ(db_.value("SELECT count(*) FROM ran"), "0");
}

TEST_F(column_types, the_end_of_a_parent_in_such_a_table_is_refused) {
  db_.exec("SELECT rowrunner.attach('test_jobs', kind => 'test', joins => true)");
  db_.exec("INSERT INTO test_jobs (name) VALUES ('a')");
  replace("id", "uuid");
  EXPECT_THAT(error_of("UPDATE test_jobs SET status = 'succeeded'"), HasSubstr("another type"));
  EXPECT_THAT(error_of("DELETE FROM test_jobs"), HasSubstr("another type"));
  EXPECT_EQ(db_.value("SELECT count(*) FROM ran"), "0");
}

}  // namespace
}  // namespace rowrunner::testing
