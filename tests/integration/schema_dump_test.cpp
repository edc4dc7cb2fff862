#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "support/migrate.hpp"
#include "support/paths.hpp"
#include "support/postgres.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {
namespace {

TEST(schema_dump, is_what_the_migrations_make) {
  std::ifstream file(source_dir() + "/db/schema.sql");
  std::string kept(std::istreambuf_iterator<char>(file), {});
  kept.erase(0, kept.find('\n') + 1);  // the line that says where it comes from

  test_database db(test_database::contents::empty);
  migrate(db.url(), std::vector{admin::engine_component()});
  const auto dump = run_process({source_dir() + "/scripts/dump-schema", db.url()});
  ASSERT_EQ(dump.exit_code, 0) << dump.err;
  EXPECT_NE(dump.out.find("CREATE TABLE rowrunner.queue"), std::string::npos);
  EXPECT_TRUE(kept == dump.out) << "db/schema.sql is out of date: run scripts/dump-schema";
}

}  // namespace
}  // namespace rowrunner::testing
