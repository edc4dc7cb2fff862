// Spot images from the plan file to the picture, with the real binary.

#include <algorithm>
#include <future>
#include <iostream>

#include "support/paths.hpp"
#include "workloads/spot_images/image_api.hpp"
#include "workloads/spot_images/support/image_api_stand_in.hpp"
#include "workloads/spot_images/support/spot_images_fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

class spot_images_e2e : public spot_images_fixture {
 protected:
  static int files_in(const std::string& where) {
    int files = 0;
    for (const auto& each : std::filesystem::recursive_directory_iterator(where)) {
      files += each.is_regular_file() ? 1 : 0;
    }
    return files;
  }
};

TEST_F(spot_images_e2e, a_plan_becomes_twelve_pictures_made_by_two_workers) {
  const auto imported = run({"plan", "import", source_dir() + "/examples/kyoto.json", "--enqueue"});
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  const std::vector<std::string> worker{rowrunner_binary(), "worker", "--kind", "spot_image:2",
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
  enqueue_plan({"before", "meanwhile"});
  db.exec("DELETE FROM spots WHERE spot_name = 'before'");
  image_api_stand_in api;
  api.answer_about("meanwhile", [&](http_exchange& x) {
    pqxx::connection other(db.url());
    pqxx::work tx(other);
    tx.exec("DELETE FROM spots");
    tx.commit();
    x.answer(200, image_answer_body(tiny_png("meanwhile")));
  });
  EXPECT_EQ(run({"worker", "--drain"}, api.settings()).exit_code, 0);
  EXPECT_EQ(job_of("before"), "failed 1 plan p has no spot before");
  EXPECT_EQ(job_of("meanwhile"), "failed 1 plan p has no spot meanwhile");
  EXPECT_EQ(api.asked("before"), 0);
  EXPECT_EQ(files_in(folder + "/store"), 0) << "no picture stays behind";
}

TEST_F(spot_images_e2e, a_lost_connection_is_not_charged_to_the_job) {
  image_api_stand_in api;
  add_plan({"first", "second"});
  const auto worker = start({"worker"}, api.settings());
  const auto enqueue = [this](const std::string& spot) {
    db.exec("INSERT INTO spot_image_jobs (plan_id, spot_name) VALUES ('p', '" + spot + "')");
  };
  const std::string done = "SELECT count(*) FROM spots WHERE image_status = 'succeeded'";
  enqueue("first");
  ASSERT_TRUE(db.becomes(done, "1"));
  // The handler's own connection is idle now; the next job finds it dead.
  EXPECT_EQ(db.value("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE"
                     " datname = current_database() AND application_name = 'rowrunner handlers'"),
            "1");
  enqueue("second");
  ASSERT_TRUE(db.becomes(done, "2"));
  EXPECT_EQ(job_of("second"), "succeeded 0");
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.attempts"), "0");
}

TEST_F(spot_images_e2e, settings_that_make_no_sense_are_refused_at_start) {
  enqueue_plan({"a"});
  const auto refused = [this](const process_environment& settings, int exit_code,
                              const std::string& complaint) {
    const auto ended = run({"worker", "--drain"}, settings);
    EXPECT_EQ(ended.exit_code, exit_code);
    EXPECT_THAT(ended.err, HasSubstr(complaint));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  };
  refused({{"IMAGE_PROVIDER", "crayons"}}, 2, "IMAGE_PROVIDER must be poster or http");
  refused({{"IMAGE_PROVIDER", "http"}, {"IMAGE_API_KEY", ""}}, 2, "needs IMAGE_API_KEY");
  const auto http = image_api_stand_in().settings();
  const auto with = [&http](const std::string& name, const std::string& value) {
    auto changed = http;
    changed[name] = value;
    return changed;
  };
  refused(with("IMAGE_API_BASE_URL", "ftp://pictures"), 2, "IMAGE_API_BASE_URL: ");
  refused(with("IMAGE_API_TIMEOUT", "soon"), 2,
          "IMAGE_API_TIMEOUT must be a number of seconds from 1 to 3600");
  refused({{"STORAGE_TYPE", "TAPE"}}, 2, "STORAGE_TYPE: TAPE is not known");
  refused({{"STORAGE_TYPE", "GCP"}, {"GCS_BUCKET_NAME", ""}}, 2, "GCS_BUCKET_NAME: is needed");
  refused({{"LOCAL_STORAGE_PATH", "/proc/nothing"}}, 1, "/proc/nothing");
  EXPECT_EQ(job_of("a"), "queued 0") << "no job was touched";
}

TEST_F(spot_images_e2e, a_folder_that_can_no_longer_be_written_is_the_reason_of_a_failure) {
  db.exec("ALTER TABLE spot_image_jobs ALTER max_attempts SET DEFAULT 1");
  image_api_stand_in api;
  const std::string store = folder + "/store";
  api.answer_about("a", [&](http_exchange& x) {
    std::filesystem::remove_all(store);
    std::ofstream(store) << "a file in its place";
    x.answer(200, image_answer_body(tiny_png("a")));
  });
  enqueue_plan({"a"});
  EXPECT_EQ(run({"worker", "--drain"}, api.settings()).exit_code, 0);
  EXPECT_THAT(job_of("a"), ::testing::AllOf(::testing::StartsWith("failed 1 "), HasSubstr(store)));
  EXPECT_EQ(db.value("SELECT image_status || coalesce(image_url, '') FROM spots"), "failed");
}

TEST_F(spot_images_e2e, a_database_that_does_not_answer_is_one_line_without_the_password) {
  const auto refused =
      run({"worker", "--drain", "--database-url", "postgresql://u:hush@127.0.0.1:1/nowhere"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("cannot connect to PostgreSQL (host 127.0.0.1, port 1"));
  EXPECT_THAT(refused.err, ::testing::Not(HasSubstr("hush")));
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
}

// drain_test.cpp shows that it waits for nothing; this says how long it takes.
TEST_F(spot_images_e2e, draining_nothing_exits_with_0) {
  const auto begun = std::chrono::steady_clock::now();
  const auto drained = run({"worker", "--drain"});
  const auto took = std::chrono::steady_clock::now() - begun;
  EXPECT_EQ(drained.exit_code, 0) << drained.err;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
  RecordProperty("drain_milliseconds", static_cast<int>(ms));
  std::cout << "a drain of nothing took " << ms << " ms\n";
}

TEST_F(spot_images_e2e, two_drains_at_once_do_not_disturb_each_other) {
  image_api_stand_in api;
  std::promise<void> asked, answer;
  api.answer_about(
      "slow",
      [&](http_exchange& x) {
        asked.set_value();
        answer.get_future().wait();
        x.answer(200, image_answer_body(tiny_png("slow")));
      },
      1);
  enqueue_plan({"slow"});
  const auto first = start({"worker", "--drain"}, api.settings());
  asked.get_future().wait();
  const auto second = run({"worker", "--drain"}, api.settings());
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_FALSE(first->wait(std::chrono::milliseconds{0})) << "it still works";
  answer.set_value();
  EXPECT_EQ(first->wait(), 0) << first->err();
  EXPECT_EQ(job_of("slow"), "succeeded 0");
  EXPECT_EQ(picture_of("slow"), tiny_png("slow"));
  EXPECT_EQ(api.asked("slow"), 1);
}

}  // namespace
}  // namespace rowrunner::testing
