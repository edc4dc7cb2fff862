#include <gtest/gtest.h>

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/shadows.hpp"
#include "workloads/spot_images/support/spot_database.hpp"

namespace rowrunner::testing {
namespace {

class spot_search_path : public ::testing::Test {
 protected:
  spot_search_path() {
    db_.exec(
        "INSERT INTO travel_plans (plan_id, title) VALUES ('p', 'p');"
        "INSERT INTO spots (plan_id, spot_name, image_status) VALUES ('p', 'a', 'succeeded')");
    cast_shadows(db_);
  }

  spot_database db_;
};

TEST_F(spot_search_path, does_not_matter_to_commands) {
  const std::vector<std::vector<std::string>> commands{{"enqueue", "spot-images", "--plan", "p"},
                                                       {"enqueue", "spot-images", "--missing"},
                                                       {"plan", "show", "p"}};
  for (auto words : commands) {
    words.insert(words.begin(), rowrunner_binary());
    const auto done = run_process(words, {{"DATABASE_URL", db_.url()}});
    EXPECT_EQ(done.exit_code, 0) << done.err;
  }
  EXPECT_EQ(lost_jobs(db_), "0 0");
}

// The triggers of an enqueue run with the owner's rights and without a search_path of their own.
TEST_F(spot_search_path, does_not_matter_to_the_status_of_a_place) {
  pqxx::connection fresh(db_.url());
  pqxx::work tx(fresh);
  tx.exec("SET LOCAL ROLE rowrunner_app");
  tx.exec("INSERT INTO public.spot_image_jobs (plan_id, spot_name) VALUES ('p', 'a')");
  tx.commit();
  EXPECT_EQ(db_.value("SELECT image_status FROM spots"), "not_started");
}

}  // namespace
}  // namespace rowrunner::testing
