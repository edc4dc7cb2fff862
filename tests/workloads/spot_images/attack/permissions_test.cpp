#include "support/permissions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "support/migrate.hpp"
#include "support/paths.hpp"
#include "workloads/spot_images/support/spot_database.hpp"

namespace rowrunner::testing {
namespace {

class spot_permissions : public ::testing::Test {
 protected:
  // Without those of the engine, which are in tests/attack/permissions.txt, and of other workloads.
  std::string listed() {
    std::istringstream all(permissions_in(db_.connection()));
    std::string line, out;
    while (std::getline(all, line)) {
      const auto place = line.find(" public.");
      const bool ours =
          place != std::string::npos && (line.find("spot", place) != std::string::npos ||
                                         line.find("travel", place) != std::string::npos);
      // Roles of other workloads have what PUBLIC has.
      const bool others =
          line.starts_with("rowrunner_documents") || line.starts_with("rowrunner_mirror") ||
          line.starts_with("rowrunner_relay") || line.starts_with("rowrunner_webhooks");
      if ((ours && !others) || line.starts_with("rowrunner_spots")) {
        out += line + '\n';
      }
    }
    return out;
  }

  static std::string kept() {
    std::ifstream file(source_dir() + "/tests/workloads/spot_images/attack/permissions.txt");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  spot_database db_;
};

TEST_F(spot_permissions, of_every_role_are_those_of_the_list) {
  const auto now = listed();
  if (now != kept()) std::ofstream("spot_permissions.txt.new") << now;
  EXPECT_EQ(now, kept()) << "permissions changed: if that is meant, update "
                            "permissions.txt (spot_permissions.txt.new has what is true)";
}

TEST_F(spot_permissions, are_set_again_by_a_migrate_that_has_nothing_else_to_do) {
  db_.exec(
      "GRANT ALL ON spots, travel_plans TO rowrunner_worker, PUBLIC;"
      "GRANT ALL ON FUNCTION spots_follow_jobs() TO PUBLIC;"
      "ALTER FUNCTION spot_takes_status_of_job() OWNER TO CURRENT_USER;"
      "REVOKE ALL ON spot_image_jobs FROM rowrunner_spots");
  ASSERT_NE(listed(), kept());
  EXPECT_TRUE(migrate(db_.url()).applied.empty());
  EXPECT_EQ(listed(), kept());
}

// Bodies that were parsed when the function was made keep what they meant; spots_follow_jobs names
// everything with its schema.
TEST_F(spot_permissions, every_function_has_a_fixed_search_path) {
  EXPECT_EQ(db_.value("SELECT string_agg(p.oid::regprocedure::text, ', ' ORDER BY p.proname)"
                      " FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace"
                      " AND p.proname LIKE '%spot%'"
                      " AND p.prosqlbody IS NULL"
                      " AND NOT coalesce(p.proconfig @> ARRAY['search_path=pg_catalog, pg_temp'],"
                      "                  false)"),
            "spots_follow_jobs()");
}

}  // namespace
}  // namespace rowrunner::testing
