#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <pqxx/pqxx>

#include "support/command.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "workloads/spot_images/support/spot_database.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(spot_images_component, is_migrated_on_its_own) {
  test_database db(test_database::contents::empty);
  const command rowrunner(db);
  EXPECT_THAT(rowrunner.out({"migrate", "--only", "engine"}), Not(HasSubstr("spot_images")));
  EXPECT_THAT(rowrunner.out({"migrate", "--status"}),
              ContainsRegex("spot_images +1 +0001_spot_images +pending"));
  EXPECT_EQ(rowrunner.out({"migrate", "--only", "spot_images"}).substr(0, 37),
            "applied spot_images/0001_spot_images\n");
}

TEST(spot_images_component, a_worker_without_its_tables_names_the_command_that_makes_them) {
  test_database db(test_database::contents::empty);
  const command rowrunner(db);
  rowrunner.out({"migrate", "--only", "engine"});
  EXPECT_THAT(rowrunner.error(1, {"worker", "--drain", "--kind", "spot_image"}),
              HasSubstr("unknown kind spot_image: attached are none; the tables of the built-in "
                        "workload spot_images are made by rowrunner migrate, or rowrunner migrate "
                        "--only spot_images;"));
  EXPECT_THAT(rowrunner.error(1, {"worker", "--drain"}),
              ContainsRegex("unknown kind [a-z_]+: .* are made by rowrunner migrate"));
  EXPECT_THAT(rowrunner.error(1, {"worker", "--drain", "--handler", "mine=noop"}),
              ContainsRegex("unknown kind mine: attached are none\n"));
}

TEST(spot_images_component, has_a_handler_of_its_name) {
  const spot_database db;
  EXPECT_THAT(command(db).error(2, {"worker", "--handler", "other=nope"}),
              ContainsRegex("unknown handler 'nope': there are .*spot_image.*, noop"));
}

TEST(spot_images_component, has_the_schema_that_is_kept) {
  std::ifstream file(source_dir() + "/tests/workloads/spot_images/schema.sql");
  std::string kept(std::istreambuf_iterator<char>(file), {});
  kept.erase(0, kept.find('\n') + 1);  // the line that says where it comes from
  // Without the tables of other workloads.
  const test_database db(test_database::contents::empty);
  command(db).out({"migrate", "--only", "engine"});
  command(db).out({"migrate", "--only", "spot_images"});
  const auto dump =
      run_process({source_dir() + "/scripts/dump-schema", db.url(), "--exclude-schema=rowrunner*"});
  ASSERT_EQ(dump.exit_code, 0) << dump.err;
  EXPECT_THAT(dump.out, HasSubstr("CREATE TABLE public.spots"));
  EXPECT_TRUE(kept == dump.out) << "schema.sql is out of date: run scripts/dump-schema";
}

// As after a restore on a server that lacks the role of the workload.
TEST(spot_images_component, functions_that_run_as_a_superuser_are_found_by_doctor) {
  const spot_database db;
  pqxx::connection connection(db.url());
  pqxx::nontransaction(connection)
      .exec(
          "ALTER FUNCTION public.spots_follow_jobs() OWNER TO CURRENT_USER;"
          "ALTER FUNCTION public.spot_takes_status_of_job() OWNER TO CURRENT_USER");
  const auto examine = [&] {
    return run_process({rowrunner_binary(), "doctor", "--json"}, {{"DATABASE_URL", db.url()}}).out;
  };
  const auto found = examine();
  EXPECT_THAT(found, HasSubstr("triggers of public.spot_image_jobs run"
                               " public.spots_follow_jobs() as the superuser "));
  EXPECT_THAT(found, HasSubstr("triggers of public.spots run"
                               " public.spot_takes_status_of_job() as the superuser "));
  EXPECT_THAT(found, HasSubstr("run: rowrunner migrate; "));
  command(db).out({"migrate"});
  EXPECT_THAT(examine(), Not(HasSubstr("as the superuser")));
}

}  // namespace
}  // namespace rowrunner::testing
