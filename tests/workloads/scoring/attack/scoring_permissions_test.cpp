#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "support/command.hpp"
#include "support/migrate.hpp"
#include "support/paths.hpp"
#include "support/permissions.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

class scoring_permissions : public ::testing::Test {
 protected:
  std::string listed() {
    std::istringstream all(permissions_in(db_.connection()));
    std::string line, out;
    while (std::getline(all, line)) {
      if (line.find(" public.scoring_") != std::string::npos) out += line + '\n';
    }
    return out;
  }
  static std::string kept() {
    std::ifstream file(source_dir() + "/tests/workloads/scoring/attack/permissions.txt");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  test_database db_{test_database::contents::workloads};
};

TEST_F(scoring_permissions, of_every_role_are_those_of_the_list) {
  const auto now = listed();
  if (now != kept()) std::ofstream("scoring_permissions.txt.new") << now;
  EXPECT_EQ(now, kept()) << "permissions changed: if that is meant, update "
                            "permissions.txt (scoring_permissions.txt.new has what is true)";
}

TEST_F(scoring_permissions, are_set_again_by_a_migrate_that_has_nothing_else_to_do) {
  db_.exec(
      "GRANT ALL ON scoring_scores, scoring_cache, scoring_budgets TO rowrunner_app, PUBLIC;"
      "REVOKE ALL ON scoring_rows FROM rowrunner_worker");
  ASSERT_NE(listed(), kept());
  EXPECT_TRUE(migrate(db_.url()).applied.empty());
  EXPECT_EQ(listed(), kept());
}

TEST(scoring_component, has_the_schema_that_is_kept) {
  std::ifstream file(source_dir() + "/tests/workloads/scoring/schema.sql");
  std::string kept(std::istreambuf_iterator<char>(file), {});
  kept.erase(0, kept.find('\n') + 1);  // the line that says where it comes from
  const test_database db(test_database::contents::empty);
  command(db).out({"migrate", "--only", "engine"});
  command(db).out({"migrate", "--only", "scoring"});
  const auto dump =
      run_process({source_dir() + "/scripts/dump-schema", db.url(), "--exclude-schema=rowrunner"});
  ASSERT_EQ(dump.exit_code, 0) << dump.err;
  EXPECT_THAT(dump.out, HasSubstr("CREATE TABLE public.scoring_runs"));
  EXPECT_TRUE(kept == dump.out) << "schema.sql is out of date: run scripts/dump-schema";
}

}  // namespace
}  // namespace rowrunner::testing
