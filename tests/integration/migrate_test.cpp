#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "apps/migrator.hpp"
#include "common/schema_version.hpp"
#include "support/postgres.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

class migrate_test : public ::testing::Test {
 protected:
  // The migrations of this binary, and more.
  static std::vector<migration> with(std::vector<migration> more) {
    std::vector<migration> all(all_migrations().begin(), all_migrations().end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  migration_result run(std::span<const migration> migrations = all_migrations()) {
    return migrate(db_.connection(), migrations);
  }

  std::string error(std::span<const migration> migrations = all_migrations()) {
    try {
      run(migrations);
    } catch (const std::runtime_error& problem) {
      return problem.what();
    }
    return "";
  }

  const int latest_ = binary_schema_version();
  test_database db_{test_database::contents::empty};
};

TEST_F(migrate_test, brings_an_empty_database_up_to_date) {
  const auto result = run();
  EXPECT_EQ(result.version, latest_);
  EXPECT_EQ(result.applied.size(), all_migrations().size());
  EXPECT_EQ(db_.value("SELECT version FROM rowrunner.schema_info"), std::to_string(latest_));
  EXPECT_EQ(
      db_.value("SELECT count(*) FROM rowrunner.migrations WHERE checksum ~ '^[0-9a-f]{64}$'"),
      std::to_string(all_migrations().size()));
  db_.exec("INSERT INTO spot_image_jobs (plan_id, spot_name) VALUES ('p', 's')");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.queue"), "1");
}

TEST_F(migrate_test, finds_nothing_to_do_the_second_time) {
  run();
  const auto again = run();
  EXPECT_TRUE(again.applied.empty());
  EXPECT_EQ(again.version, latest_);
}

TEST_F(migrate_test, goes_on_where_it_stopped) {
  run(all_migrations().first(2));
  EXPECT_EQ(db_.value("SELECT version FROM rowrunner.schema_info"), "2");
  EXPECT_EQ(run().applied.size(), all_migrations().size() - 2);
}

TEST_F(migrate_test, two_at_once_do_the_work_once) {
  const auto one = [&] {
    pqxx::connection connection(db_.url());
    return migrate(connection, all_migrations()).applied.size();
  };
  auto first = std::async(std::launch::async, one);
  auto second = std::async(std::launch::async, one);
  EXPECT_EQ(first.get() + second.get(), all_migrations().size());
}

TEST_F(migrate_test, a_migration_that_fails_leaves_nothing_behind) {
  const auto bad = with({{latest_ + 1, "0099_bad", "CREATE TABLE public.half (); SELECT 1 / 0"}});
  EXPECT_THAT(error(bad), HasSubstr("0099_bad.sql failed, nothing was changed: division by zero"));
  EXPECT_EQ(db_.value("SELECT count(*) FROM pg_namespace WHERE nspname = 'rowrunner'"), "0");
  EXPECT_EQ(db_.value("SELECT to_regclass('half')"), "");
  run();
  EXPECT_THAT(error(bad), HasSubstr("division by zero"));
  EXPECT_EQ(db_.value("SELECT to_regclass('half')"), "");
  EXPECT_EQ(db_.value("SELECT version FROM rowrunner.schema_info"), std::to_string(latest_));
}

TEST_F(migrate_test, a_migration_that_was_changed_after_it_ran_is_named) {
  run();
  db_.exec("UPDATE rowrunner.migrations SET checksum = repeat('0', 64) WHERE version = 2");
  const auto name = db_.value("SELECT name FROM rowrunner.migrations WHERE version = 2");
  EXPECT_EQ(error(), "db/migrations/" + name +
                         ".sql was changed after it ran here: restore it and put the change into a "
                         "new migration");
}

TEST_F(migrate_test, a_migration_of_another_name_is_named) {
  run();
  db_.exec("UPDATE rowrunner.migrations SET name = '0002_other' WHERE version = 2");
  EXPECT_THAT(error(), HasSubstr("ran here as 0002_other.sql"));
}

TEST_F(migrate_test, a_hole_in_the_ledger_is_named) {
  run();
  db_.exec("DELETE FROM rowrunner.migrations WHERE version = 2");
  EXPECT_THAT(error(), HasSubstr("did not run here, but a later one did"));
}

TEST_F(migrate_test, a_newer_schema_that_serves_this_binary_is_left_alone) {
  run(with({{latest_ + 1, "0099_later", "CREATE TABLE public.later ()"}}));
  const auto result = run();
  EXPECT_TRUE(result.applied.empty());
  EXPECT_EQ(result.version, latest_ + 1);
}

TEST_F(migrate_test, a_newer_schema_that_no_longer_serves_this_binary_is_refused) {
  const std::string raise =
      "UPDATE rowrunner.schema_info SET oldest_binary = " + std::to_string(latest_ + 1);
  run(with({{latest_ + 1, "0099_later", raise}}));
  EXPECT_THAT(error(), HasSubstr("upgrade the binary"));
}

TEST_F(migrate_test, status_tells_what_ran_and_what_is_pending) {
  run(all_migrations().first(1));
  pqxx::work tx(db_.connection());
  const auto states = migration_status(tx, all_migrations());
  ASSERT_EQ(states.size(), all_migrations().size());
  EXPECT_TRUE(states[0].applied_at.has_value());
  EXPECT_TRUE(states[0].applied_at->ends_with("Z"));
  EXPECT_FALSE(states[1].applied_at.has_value());
}

}  // namespace
}  // namespace rowrunner::testing
