#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/job_table.hpp"
#include "support/jobs.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

class attach_test : public ::testing::Test {
 protected:
  void create(const std::map<std::string, std::string>& changed = {}, bool with_key = true) {
    create_my_jobs(db_, changed, with_key);
  }

  std::string problem() { return error_of(db_, attach_mine); }

  test_database db_;
};

TEST_F(attach_test, makes_a_table_a_job_table) {
  create();
  db_.exec("SELECT rowrunner.attach('my_jobs', kind => 'mine')");
  db_.exec("INSERT INTO my_jobs (name) VALUES ('a')");
  EXPECT_EQ(db_.value("SELECT rowrunner.claim('mine', 'w')->>'name'"), "a");
  EXPECT_EQ(db_.value("SELECT cancelled_status FROM rowrunner.kinds WHERE kind = 'mine'"),
            "cancelled");
  EXPECT_EQ(db_.value("SELECT cancelled_status FROM rowrunner.kinds WHERE kind = 'letter'"),
            "failed");  // its CHECK does not know the word
}

TEST_F(attach_test, rows_that_are_there_already_get_their_place) {
  create();
  db_.exec(
      "INSERT INTO my_jobs (name, status, run_at, last_error) VALUES"
      " ('waits', 'queued', now(), NULL), ('later', 'queued', now() + interval '1 hour', NULL),"
      " ('done', 'succeeded', now(), NULL), ('dead', 'failed', now(), 'boom')");
  db_.exec("SELECT rowrunner.attach('my_jobs', kind => 'mine')");
  EXPECT_EQ(lost_jobs(db_, "my_jobs"), "0 0");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.delayed"), "1");
  EXPECT_EQ(db_.value("SELECT error FROM rowrunner.failures"), "boom");
  EXPECT_EQ(db_.value("SELECT string_agg(c->>'name', ' ') FROM rowrunner.claim('mine', 'w', 9) c"),
            "waits");
}

TEST_F(attach_test, names_each_column_that_is_missing) {
  for (const auto& row : db_.rows("SELECT name, type, not_null FROM rowrunner.job_columns()")) {
    const auto name = row[0].as<std::string>();
    if (name == "id") continue;  // without it there is no key either; below
    create({{name, ""}});
    EXPECT_THAT(problem(),
                HasSubstr("my_jobs cannot be attached: column " + name + " is missing (" +
                          row[1].as<std::string>() + (row[2].as<bool>() ? " NOT NULL)" : ")")));
  }
  create({{"id", ""}}, false);
  EXPECT_THAT(problem(), HasSubstr("column id is missing (uuid NOT NULL)"));
}

TEST_F(attach_test, says_what_else_is_wrong) {
  create({{"attempts", "bigint NOT NULL DEFAULT 0"}});
  EXPECT_THAT(problem(), HasSubstr("column attempts is bigint, must be integer"));
  create({{"status", "text DEFAULT 'queued'"}});
  EXPECT_THAT(problem(), HasSubstr("column status must be NOT NULL"));
  create({{"run_at", "timestamptz NOT NULL"}});
  EXPECT_THAT(problem(), HasSubstr("column run_at needs a default"));
  create({}, false);
  EXPECT_THAT(problem(), HasSubstr("id must be the primary key"));
  create({{"lease", ""}, {"priority", ""}});
  EXPECT_THAT(problem(), HasSubstr("column lease is missing (bigint); column priority is missing"));
}

TEST_F(attach_test, names_an_index_over_a_column_that_changes) {
  for (const std::string index :
       {"my_jobs (status, locked_at)", "my_jobs (name) WHERE status = 'queued'",
        "my_jobs (lower(status))", "my_jobs (name) INCLUDE (status)"}) {
    create();
    db_.exec("CREATE INDEX by_status ON " + index);
    EXPECT_THAT(problem(), HasSubstr("index public.by_status uses column status")) << index;
  }
  create();
  db_.exec("CREATE INDEX by_name ON my_jobs (name, created_at)");
  EXPECT_EQ(problem(), "");
}

TEST_F(attach_test, wants_an_ordinary_table) {
  create();
  db_.exec("CREATE VIEW my_view AS SELECT * FROM my_jobs");
  EXPECT_THAT(error_of(db_, "SELECT rowrunner.attach('my_view', kind => 'mine')"),
              HasSubstr("my_view is not an ordinary table"));
  EXPECT_THAT(error_of(db_, "SELECT rowrunner.attach('nothing', kind => 'mine')"),
              HasSubstr("relation \"nothing\" does not exist"));
}

TEST_F(attach_test, wants_a_plain_name_for_the_kind) {
  create();
  for (const std::string name : {"Mine", "my-kind", "", "1st", "x; DROP TABLE my_jobs"}) {
    EXPECT_THAT(error_of(db_, "SELECT rowrunner.attach('my_jobs', kind => '" + name + "')"),
                HasSubstr("is not a name of lower case letters"));
  }
}

TEST_F(attach_test, twice_is_fine_and_gives_no_second_place) {
  create();
  db_.exec("SELECT rowrunner.attach('my_jobs', kind => 'mine')");
  db_.exec("INSERT INTO my_jobs (name) VALUES ('a')");
  db_.exec("SELECT rowrunner.attach('my_jobs', kind => 'mine', retention => '1 day')");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.queue"), "1");
  EXPECT_EQ(db_.value("SELECT retention FROM rowrunner.kinds WHERE kind = 'mine'"), "1 day");
  db_.exec("INSERT INTO my_jobs (name) VALUES ('b')");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.queue"), "2");
}

TEST_F(attach_test, one_table_has_one_kind) {
  create();
  db_.exec("SELECT rowrunner.attach('my_jobs', kind => 'mine')");
  EXPECT_THAT(error_of(db_, "SELECT rowrunner.attach('my_jobs', kind => 'other')"),
              HasSubstr("my_jobs is attached as mine already"));
  EXPECT_THAT(error_of(db_, "SELECT rowrunner.attach('my_jobs', kind => 'letter')"),
              HasSubstr("already"));
}

TEST_F(attach_test, detach_leaves_the_rows_and_nothing_else) {
  create();
  db_.exec("SELECT rowrunner.attach('my_jobs', kind => 'mine')");
  db_.exec("INSERT INTO my_jobs (name, status) VALUES ('a', 'queued'), ('b', 'failed')");
  db_.exec("SELECT rowrunner.detach('mine')");
  EXPECT_EQ(db_.value("SELECT count(*) FROM my_jobs"), "2");
  EXPECT_EQ(db_.value("SELECT (SELECT count(*) FROM rowrunner.queue) +"
                      " (SELECT count(*) FROM rowrunner.failures) +"
                      " (SELECT count(*) FROM pg_trigger WHERE tgrelid = 'my_jobs'::regclass)"),
            "0");
  db_.exec(
      "INSERT INTO my_jobs (name, status) VALUES ('c', 'processing')");  // its own business now
  db_.exec("UPDATE my_jobs SET status = 'queued'");
  db_.exec("SELECT rowrunner.attach('my_jobs', kind => 'mine')");
  EXPECT_EQ(lost_jobs(db_, "my_jobs"), "0 0");
  EXPECT_EQ(sqlstate_of(db_, "SELECT rowrunner.detach('nope')"), "42704");
}

TEST_F(attach_test, detach_waits_for_no_one_but_refuses_while_jobs_run) {
  create();
  db_.exec("SELECT rowrunner.attach('my_jobs', kind => 'mine')");
  db_.exec("INSERT INTO my_jobs (name) VALUES ('a')");
  db_.exec("SELECT rowrunner.claim('mine', 'w')");
  EXPECT_THAT(error_of(db_, "SELECT rowrunner.detach('mine')"), HasSubstr("has running jobs"));
}

}  // namespace
}  // namespace rowrunner::testing
