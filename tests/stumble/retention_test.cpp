// Retention deletes rows of the user's own table, so it deletes only what was asked for.

#include "support/command.hpp"
#include "support/jobs.hpp"
#include "support/jobs_database.hpp"
#include "support/notices.hpp"
#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

class retention : public ::testing::Test {
 protected:
  /// One job of each end, a month old.
  void add_old_jobs() {
    db_.exec(
        "INSERT INTO test_jobs (name, status, updated_at)"
        " SELECT s, s, now() - interval '30 days'"
        " FROM unnest(ARRAY['succeeded', 'failed', 'cancelled']) s");
  }
  bool keeps(const std::string& names) {
    return db_.becomes("SELECT coalesce(string_agg(name, ',' ORDER BY name), '') FROM test_jobs",
                       names);
  }

  jobs_database db_;
  command rowrunner_{db_};
};

TEST_F(retention, deletes_succeeded_jobs_and_leaves_failed_and_cancelled_ones) {
  add_old_jobs();
  EXPECT_THAT(rowrunner_.out({"kinds", "retention", "test", "7d"}),
              HasSubstr("test keeps succeeded jobs 7 days, failed and cancelled ones for ever"));
  worker_thread one(db_);
  EXPECT_TRUE(keeps("cancelled,failed"));
  EXPECT_THAT(rowrunner_.out({"kinds", "retention", "test", "--failed", "60d"}),
              HasSubstr("succeeded jobs 7 days, failed and cancelled ones 60 days"));
  EXPECT_EQ(rowrunner_.parsed({"kinds", "retention", "test", "--failed", "4w"})["failed_retention"],
            "28 days");
  EXPECT_TRUE(keeps(""));
}

TEST_F(retention, never_ends_it) {
  rowrunner_.out({"kinds", "retention", "test", "90m", "--failed", "12h"});
  const auto set = rowrunner_.parsed({"kinds", "list"})["kinds"];
  EXPECT_THAT(set.dump(), HasSubstr(R"("retention":"01:30:00")"));
  EXPECT_THAT(rowrunner_.out({"kinds", "retention", "test", "never", "--failed", "never"}),
              HasSubstr("succeeded jobs for ever, failed and cancelled ones for ever"));
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.kinds"
                      " WHERE retention IS NOT NULL OR failed_retention IS NOT NULL"),
            "0");
}

TEST_F(retention, of_an_attached_kind_changes_only_where_attach_names_it) {
  db_.exec("SELECT rowrunner.attach('test_jobs', kind => 'test', retention => '1 day')");
  db_.exec("SELECT rowrunner.attach('test_jobs', kind => 'test', failed_retention => '2 days')");
  db_.exec("SELECT rowrunner.attach('test_jobs', kind => 'test')");
  EXPECT_EQ(db_.value("SELECT retention || ' ' || failed_retention FROM rowrunner.kinds"
                      " WHERE kind = 'test'"),
            "1 day 2 days");
}

TEST_F(retention, of_an_attach_that_may_delete_jobs_at_once_is_warned_of) {
  const auto heard_of = [&](const std::string& arguments) {
    notices heard(db_.connection());
    db_.exec("SELECT rowrunner.attach('test_jobs', kind => 'test'" + arguments + ")");
    return heard.all();
  };
  EXPECT_EQ(heard_of(", retention => '30 days'"), "") << "there is no job yet";
  add_old_jobs();
  EXPECT_EQ(heard_of(""), "");
  EXPECT_EQ(heard_of(", retention => '30 days'"), "") << "it was so before";
  EXPECT_EQ(heard_of(", retention => '31 days'"), "") << "more are kept";
  const auto shorter = heard_of(", retention => '7 days'");
  EXPECT_THAT(shorter, HasSubstr("WARNING:  retention will delete jobs of public.test_jobs that "
                                 "succeeded more than 7 days ago, those that are there now"));
  EXPECT_THAT(shorter, HasSubstr("rowrunner kinds retention test never\n"));
  const auto both = heard_of(", retention => '6 days', failed_retention => '9 days'");
  EXPECT_THAT(both, HasSubstr("succeeded more than 6 days ago or failed or were cancelled more "
                              "than 9 days ago"));
  EXPECT_THAT(both, HasSubstr("rowrunner kinds retention test never --failed never"));
  const auto failed = heard_of(", failed_retention => '8 days'");
  EXPECT_THAT(failed, HasSubstr("that failed or were cancelled more than 8 days ago"));
  EXPECT_THAT(failed, HasSubstr("rowrunner kinds retention test --failed never"));
}

TEST_F(retention, of_attach_is_a_time_that_passes) {
  for (const char* wrong : {"retention => '-7 days'", "failed_retention => '0'"}) {
    const auto attach =
        "SELECT rowrunner.attach('test_jobs', kind => 'test', " + std::string(wrong) + ")";
    EXPECT_EQ(sqlstate_of(db_, attach), "22023") << wrong;
    EXPECT_THAT(error_of(db_, attach), HasSubstr("must be more than 0")) << wrong;
  }
}

TEST_F(retention, wants_a_kind_and_a_sensible_time) {
  EXPECT_THAT(rowrunner_.error(2, {"kinds", "retention", "test"}), HasSubstr("how long?"));
  EXPECT_THAT(rowrunner_.error(1, {"kinds", "retention", "tset", "7d"}),
              HasSubstr("unknown kind 'tset'"));
  for (const std::string time : {"7", "d", "0d", "-1d", "7 days", "1000y", "9999999d", "now"}) {
    EXPECT_THAT(rowrunner_.error(2, {"kinds", "retention", "test", "--failed=" + time}),
                HasSubstr("is no time to keep jobs"))
        << time;
  }
}

}  // namespace
}  // namespace rowrunner::testing
