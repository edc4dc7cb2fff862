#include "support/permissions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "support/migrate.hpp"
#include "support/paths.hpp"
#include "support/postgres.hpp"

namespace rowrunner::testing {
namespace {

class relay_permissions : public ::testing::Test {
 protected:
  // Of what the relay has made alone.
  std::string listed() {
    std::istringstream all(permissions_in(db_.connection()));
    std::string line, out;
    while (std::getline(all, line)) {
      // What PUBLIC may call of other workloads is not theirs.
      const auto what = line.substr(line.find(':'));
      const bool ours = what.find("relay") != std::string::npos;
      const bool of_role =
          line.starts_with("rowrunner_relay:") && what.find(" public.") == std::string::npos;
      if (ours || of_role) out += line + '\n';
    }
    return out;
  }

  static std::string kept() {
    std::ifstream file(source_dir() + "/tests/workloads/ocr_relay/attack/permissions.txt");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  test_database db_{test_database::contents::workloads};
};

TEST_F(relay_permissions, of_every_role_are_those_of_the_list) {
  const auto now = listed();
  if (now != kept()) std::ofstream("relay_permissions.txt.new") << now;
  EXPECT_EQ(now, kept()) << "permissions changed: if that is meant, update "
                            "permissions.txt (relay_permissions.txt.new has what is true)";
}

TEST_F(relay_permissions, are_set_again_by_a_migrate_that_has_nothing_else_to_do) {
  db_.exec(
      "GRANT ALL ON ocr_relay_tokens, ocr_relay_pages TO rowrunner_app, PUBLIC;"
      "GRANT ALL ON FUNCTION ocr_relay_ended() TO PUBLIC;"
      "ALTER FUNCTION ocr_relay_ended() OWNER TO CURRENT_USER");
  ASSERT_NE(listed(), kept());
  EXPECT_TRUE(migrate(db_.url()).applied.empty());
  EXPECT_EQ(listed(), kept());
}

}  // namespace
}  // namespace rowrunner::testing
