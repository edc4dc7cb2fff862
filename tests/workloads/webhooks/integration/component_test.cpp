#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "support/command.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {
namespace {

TEST(webhooks_component, has_the_schema_that_is_kept) {
  std::ifstream file(source_dir() + "/tests/workloads/webhooks/schema.sql");
  std::string kept(std::istreambuf_iterator<char>(file), {});
  kept.erase(0, kept.find('\n') + 1);  // the line that says where it comes from
  test_database db(test_database::contents::empty);
  command(db).out({"migrate", "--only", "webhooks"});
  const auto dump =
      run_process({source_dir() + "/scripts/dump-schema", db.url(), "--exclude-schema=rowrunner"});
  ASSERT_EQ(dump.exit_code, 0) << dump.err;
  EXPECT_THAT(dump.out, ::testing::HasSubstr("CREATE TABLE public.webhook_deliveries"));
  EXPECT_TRUE(kept == dump.out) << "schema.sql is out of date: run scripts/dump-schema";
}

}  // namespace
}  // namespace rowrunner::testing
