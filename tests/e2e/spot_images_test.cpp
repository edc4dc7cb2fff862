// Spot images from the plan file to the picture, with the real binary.

#include <algorithm>

#include "e2e/spot_images_fixture.hpp"
#include "workloads/spot_images/image_api.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

class spot_images_e2e : public spot_images_fixture {};

TEST_F(spot_images_e2e, a_plan_becomes_twelve_pictures_made_by_two_workers) {
  const auto imported =
      run({"plan", "import", ROWRUNNER_SOURCE_DIR "/examples/kyoto.json", "--enqueue"});
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  const std::vector<std::string> worker{ROWRUNNER_BINARY, "worker", "--kind", "spot_image:2",
                                        "--drain"};
  child_process one(worker, env()), two(worker, env());
  EXPECT_EQ(one.wait(), 0) << one.err();
  EXPECT_EQ(two.wait(), 0) << two.err();
  EXPECT_EQ(db.value("SELECT count(*) FROM spots WHERE image_status = 'succeeded'"), "12");
  for (const auto& row : db.rows("SELECT image_url FROM spots")) {
    const auto url = row[0].as<std::string>();
    ASSERT_THAT(url, ::testing::StartsWith("file://"));
    EXPECT_NO_THROW(spot_images::check_png(file_at(url))) << url;
  }
  // Nothing is left of what was only on the way.
  EXPECT_TRUE(std::filesystem::is_empty(folder + "/store/spot_images/drafts"));
  EXPECT_EQ(db.value("SELECT sum(attempts) FROM spot_image_jobs"), "0");
}

TEST_F(spot_images_e2e, a_job_whose_spot_was_deleted_fails_with_that_reason) {
  db.exec("INSERT INTO public.spot_image_jobs (plan_id, spot_name) VALUES ('gone', 'nowhere')");
  EXPECT_EQ(run({"worker", "--drain"}).exit_code, 0);
  EXPECT_EQ(db.value("SELECT status || ': ' || last_error FROM spot_image_jobs"),
            "failed: the spot nowhere of plan gone was deleted");
}

TEST_F(spot_images_e2e, settings_that_make_no_sense_are_refused_at_start) {
  EXPECT_THAT(run({"worker", "--drain"}, {{"IMAGE_PROVIDER", "crayons"}}).err,
              HasSubstr("IMAGE_PROVIDER must be poster or http"));
  EXPECT_THAT(run({"worker", "--drain"}, {{"IMAGE_PROVIDER", "http"}}).err,
              HasSubstr("IMAGE_API_KEY"));
  EXPECT_EQ(run({"worker", "--drain"}, {{"STORAGE_TYPE", "TAPE"}}).exit_code, 2);
  EXPECT_EQ(run({"worker", "--drain"}, {{"LOCAL_STORAGE_PATH", "/proc/nothing"}}).exit_code, 1);
}

TEST_F(spot_images_e2e, a_database_that_does_not_answer_is_one_line_without_the_password) {
  const auto refused =
      run({"worker", "--drain", "--database-url", "postgresql://u:hush@127.0.0.1:1/nowhere"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("cannot connect to PostgreSQL (host 127.0.0.1, port 1"));
  EXPECT_THAT(refused.err, ::testing::Not(HasSubstr("hush")));
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
}

TEST_F(spot_images_e2e, draining_nothing_ends_at_once) {
  EXPECT_EQ(run({"worker", "--drain"}).exit_code, 0);
}

}  // namespace
}  // namespace rowrunner::testing
