#include "support/permissions.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "support/migrate.hpp"
#include "support/paths.hpp"
#include "support/postgres.hpp"

namespace rowrunner::testing {
namespace {

class mirror_permissions : public ::testing::Test {
 protected:
  std::string listed() { return permissions_in(db_.connection(), "rowrunner_mirror"); }

  static std::string kept() {
    std::ifstream file(source_dir() + "/tests/workloads/mirror/attack/permissions.txt");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  test_database db_{test_database::contents::workloads};
};

TEST_F(mirror_permissions, of_every_role_are_those_of_the_list) {
  const auto now = listed();
  if (now != kept()) std::ofstream("mirror_permissions.txt.new") << now;
  EXPECT_EQ(now, kept()) << "permissions changed: if that is meant, update "
                            "permissions.txt (mirror_permissions.txt.new has what is true)";
}

TEST_F(mirror_permissions, are_set_again_by_a_migrate_that_has_nothing_else_to_do) {
  for (const std::string what :
       {"SCHEMA", "ALL TABLES IN SCHEMA", "ALL SEQUENCES IN SCHEMA", "ALL FUNCTIONS IN SCHEMA"}) {
    db_.exec("GRANT ALL ON " + what +
             " rowrunner_mirror TO PUBLIC, rowrunner_app, rowrunner_worker,"
             " rowrunner_server, rowrunner_engine, rowrunner_job_writer");
  }
  ASSERT_NE(listed(), kept());
  EXPECT_TRUE(migrate(db_.url()).applied.empty());
  EXPECT_EQ(listed(), kept());
}

}  // namespace
}  // namespace rowrunner::testing
