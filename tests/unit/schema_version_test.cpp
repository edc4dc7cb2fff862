#include "common/schema/schema_version.hpp"

#include <gtest/gtest.h>

#include "apps/workloads.hpp"

namespace rowrunner {
namespace {

TEST(schema_version, is_the_last_migration_and_none_is_left_out) {
  for (const auto& part : all_components()) {
    int expected = 0;
    for (const auto& m : part.migrations) {
      EXPECT_EQ(m.version, ++expected) << part.name << "/" << m.name;
      EXPECT_FALSE(m.text.empty()) << part.name << "/" << m.name;
    }
    EXPECT_GT(expected, 0) << part.name;
  }
  EXPECT_EQ(binary_schema_version(), all_components().front().migrations.back().version);
}

TEST(schema_refusal, lets_a_binary_run_on_its_own_schema_and_on_later_ones_that_serve_it) {
  EXPECT_EQ(schema_refusal(4, 1, 4), std::nullopt);
  EXPECT_EQ(schema_refusal(9, 4, 4), std::nullopt);
  EXPECT_EQ(schema_refusal(9, 1, 4), std::nullopt);
}

TEST(schema_refusal, says_why_not_and_what_to_do) {
  EXPECT_EQ(schema_refusal(std::nullopt, 0, 4),
            "the database has no Rowrunner schema: run 'rowrunner migrate'");
  EXPECT_EQ(schema_refusal(3, 1, 4),
            "schema version 3 is older than this binary needs (4): run 'rowrunner migrate'");
  EXPECT_EQ(schema_refusal(9, 6, 4),
            "schema version 9 serves binaries built for version 6 or later, this one was built for "
            "4: upgrade the binary");
}

}  // namespace
}  // namespace rowrunner
