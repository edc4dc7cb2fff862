#include "support/migrate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "admin/error.hpp"
#include "common/schema/schema_version.hpp"
#include "support/letters.hpp"
#include "support/postgres.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

class migrate_test : public ::testing::Test {
 protected:
  // The components of this binary, of which the engine has one migration more.
  std::vector<component> with(migration more) {
    auto all = all_components();
    longer_.assign(all[0].migrations.begin(), all[0].migrations.end());
    longer_.push_back(more);
    all[0].migrations = longer_;
    return all;
  }

  // The engine as an older binary had it.
  static std::vector<component> first(std::size_t count) {
    return {{"engine", admin::engine_component().migrations.first(count), {}, {}}};
  }

  static std::size_t count_all() {
    std::size_t all = 0;
    for (const auto& part : all_components()) all += part.migrations.size();
    return all;
  }

  admin::migration_result run(const std::vector<component>& components = all_components()) {
    return migrate(db_.url(), components);
  }

  std::string error(const std::vector<component>& components = all_components()) {
    try {
      run(components);
    } catch (const admin::error& problem) {
      return problem.what();
    }
    return "";
  }

  const int latest_ = binary_schema_version();
  std::vector<migration> longer_;
  test_database db_{test_database::contents::empty};
};

TEST_F(migrate_test, brings_an_empty_database_up_to_date) {
  const auto result = run();
  EXPECT_EQ(result.version, latest_);
  EXPECT_EQ(result.applied.size(), count_all());
  EXPECT_EQ(db_.value("SELECT version FROM rowrunner.schema_info"), std::to_string(latest_));
  EXPECT_EQ(
      db_.value("SELECT count(*) FROM rowrunner.migrations WHERE checksum ~ '^[0-9a-f]{64}$'"),
      std::to_string(count_all()));
  db_.exec(std::string(letters_schema));
  db_.exec("INSERT INTO letter_jobs (batch_id, recipient) VALUES ('p', 's')");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.queue"), "1");
}

TEST_F(migrate_test, finds_nothing_to_do_the_second_time) {
  run();
  const auto again = run();
  EXPECT_TRUE(again.applied.empty());
  EXPECT_EQ(again.version, latest_);
}

TEST_F(migrate_test, goes_on_where_it_stopped) {
  run(first(2));
  EXPECT_EQ(db_.value("SELECT version FROM rowrunner.schema_info"), "2");
  EXPECT_EQ(run().applied.size(), count_all() - 2);
}

TEST_F(migrate_test, the_engine_alone_makes_no_table_of_a_workload) {
  EXPECT_EQ(run({admin::engine_component()}).applied.size(),
            admin::engine_component().migrations.size());
  EXPECT_EQ(db_.value("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"),
            "0");
  EXPECT_EQ(run().applied.size(), count_all() - admin::engine_component().migrations.size());
}

TEST_F(migrate_test, a_database_from_before_components_is_refused) {
  run({admin::engine_component()});
  db_.exec("ALTER TABLE rowrunner.migrations DROP COLUMN component");
  EXPECT_THAT(error(), HasSubstr("before the first release"));
}

TEST_F(migrate_test, two_at_once_do_the_work_once) {
  const auto one = [&] { return run().applied.size(); };
  auto one_result = std::async(std::launch::async, one);
  auto other_result = std::async(std::launch::async, one);
  EXPECT_EQ(one_result.get() + other_result.get(), count_all());
}

TEST_F(migrate_test, each_statement_sees_what_was_committed_before_it) {
  db_.exec("ALTER DATABASE \"" + db_.name() +
           "\" SET default_transaction_isolation = 'repeatable read'");
  const auto more =
      with({latest_ + 1, "0099_level",
            "CREATE TABLE public.level AS SELECT current_setting('transaction_isolation')"
            " AS name; CREATE TABLE public.second ()"});
  run(more);
  EXPECT_EQ(db_.value("SELECT name FROM level"), "read committed");
}

TEST_F(migrate_test, a_migration_that_fails_leaves_nothing_behind) {
  const auto bad = with({latest_ + 1, "0099_bad", "CREATE TABLE public.half (); SELECT 1 / 0"});
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
  db_.exec(
      "UPDATE rowrunner.migrations SET checksum = repeat('0', 64) WHERE component = 'engine' AND "
      "version = 2");
  const auto name =
      db_.value("SELECT name FROM rowrunner.migrations WHERE component = 'engine' AND version = 2");
  EXPECT_EQ(error(), "db/migrations/engine/" + name +
                         ".sql was changed after it ran here: restore it and put the change into a "
                         "new migration");
}

TEST_F(migrate_test, a_migration_of_another_name_is_named) {
  run();
  db_.exec(
      "UPDATE rowrunner.migrations SET name = '0002_other' WHERE component = 'engine' AND version "
      "= 2");
  EXPECT_THAT(error(), HasSubstr("ran here as 0002_other.sql"));
}

TEST_F(migrate_test, a_hole_in_the_ledger_is_named) {
  run();
  db_.exec("DELETE FROM rowrunner.migrations WHERE component = 'engine' AND version = 2");
  EXPECT_THAT(error(), HasSubstr("did not run here, but a later one did"));
}

TEST_F(migrate_test, a_newer_schema_that_serves_this_binary_is_left_alone) {
  run(with({latest_ + 1, "0099_later", "CREATE TABLE public.later ()"}));
  const auto result = run();
  EXPECT_TRUE(result.applied.empty());
  EXPECT_EQ(result.version, latest_ + 1);
}

TEST_F(migrate_test, a_newer_schema_that_no_longer_serves_this_binary_is_refused) {
  const std::string raise =
      "UPDATE rowrunner.schema_info SET oldest_binary = " + std::to_string(latest_ + 1);
  run(with({latest_ + 1, "0099_later", raise}));
  EXPECT_THAT(error(), HasSubstr("upgrade the binary"));
}

TEST_F(migrate_test, status_tells_what_ran_and_what_is_pending) {
  run(first(1));
  const auto states = migration_status(db_.url(), all_components());
  ASSERT_EQ(states.size(), count_all());
  EXPECT_TRUE(states[0].applied_at.has_value());
  EXPECT_TRUE(states[0].applied_at->ends_with("Z"));
  EXPECT_FALSE(states[1].applied_at.has_value());
}

}  // namespace
}  // namespace rowrunner::testing
