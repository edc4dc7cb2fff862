// The handler of spot images, with the test kit: no database, a storage in a folder.

#include "workloads/spot_images/handler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <rowrunner/testing.hpp>

#include "common/log.hpp"

namespace rowrunner::spot_images {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
namespace asio = boost::asio;
namespace fs = std::filesystem;

/// Knows one spot, for the first so many questions.
class one_spot : public database {
 public:
  asio::awaitable<query_result> query(std::string, query_params params) override {
    asked.push_back(std::move(params));
    query_result found;
    if (static_cast<int>(asked.size()) <= answers) {
      found.rows.push_back({"Kyoto", "A golden pavilion."});
    }
    co_return found;
  }

  int answers = 1'000;
  std::vector<query_params> asked;
};

std::string make_folder() {
  std::string name = ::testing::TempDir() + "/spotsXXXXXX";
  return mkdtemp(name.data());
}

class spot_image_trial : public ::testing::Test {
 protected:
  spot_image_trial() { picture_.columns = {{"plan_id", "kyoto"}, {"spot_name", "金閣寺"}}; }
  ~spot_image_trial() override { fs::remove_all(folder_); }

  testing::trial_run run() { return picture_.run(handler_); }
  bool is_stored(const std::string& file) const { return fs::exists(folder_ + "/" + file); }
  std::string final_file() const { return "spot_images/" + picture_.id + ".png"; }
  std::string draft_file() const { return "spot_images/drafts/" + picture_.id + ".png"; }

  /// The awaits of an attempt that has everything to do: the step of the prompt, that of the
  /// picture, the painting in it, and the step of the upload.
  static constexpr int all_awaits = 4;

  const std::string folder_ = make_folder();
  const std::shared_ptr<one_spot> spots_ = std::make_shared<one_spot>();
  asio::io_context io_;
  services engine_{io_.get_executor(), spots_, std::make_shared<logger>(log_level::off)};
  workload_services all_{engine_, environment({{"LOCAL_STORAGE_PATH", folder_}})};
  handler serve_{all_};
  const coroutine_handler handler_ = [this](job& self) { return serve_.run(self); };
  testing::trial picture_;
};

TEST_F(spot_image_trial, paints_stores_and_tells_the_address) {
  const auto made = run();
  ASSERT_TRUE(made.succeeded()) << made.error;
  ASSERT_THAT(made.steps, SizeIs(3));
  EXPECT_EQ(made.steps[0].name, "prompt");
  EXPECT_THAT(made.steps[0].result.get<std::string>(),
              HasSubstr("A travel poster of 金閣寺 in Kyoto. A golden pavilion."));
  EXPECT_EQ(made.steps[1].name, "generate");
  EXPECT_EQ(made.steps[2].name, "upload");
  EXPECT_EQ(made.awaits, all_awaits);
  ASSERT_THAT(made.effects(), SizeIs(1));
  EXPECT_THAT(made.effects()[0].params,
              ElementsAre("kyoto", "金閣寺", all_.storage->url(final_file())));
  EXPECT_TRUE(is_stored(final_file()));
  EXPECT_FALSE(is_stored(draft_file()));
  EXPECT_THAT(spots_->asked.front(), ElementsAre("kyoto", "金閣寺"));
}

// The picture is paid for: what breaks after its step was stored does not paint it again.
TEST_F(spot_image_trial, goes_on_where_an_attempt_broke) {
  for (int at = 1; at <= all_awaits; ++at) {
    picture_.stored.clear();
    const auto broken = picture_.fail_at(at, "the disk is full").run(handler_);
    EXPECT_EQ(broken.error, "the disk is full") << at;
    EXPECT_THAT(broken.effects(), IsEmpty()) << at;
    const auto again = run();
    EXPECT_TRUE(again.succeeded()) << at << again.error;
    EXPECT_EQ(again.awaits, at == all_awaits ? all_awaits - 1 : all_awaits) << at;
    EXPECT_TRUE(is_stored(final_file())) << at;
    EXPECT_FALSE(is_stored(draft_file())) << at;
  }
}

TEST_F(spot_image_trial, stops_at_any_await) {
  for (int at = 1; at <= all_awaits; ++at) {
    picture_.stored.clear();
    const auto told = picture_.stop_at(at).run(handler_);
    EXPECT_TRUE(told.stopped) << at << told.error;
    EXPECT_THAT(told.effects(), IsEmpty()) << at;
    EXPECT_FALSE(is_stored(final_file())) << at;
  }
}

TEST_F(spot_image_trial, of_a_spot_that_does_not_exist_is_a_final_failure) {
  spots_->answers = 0;
  const auto made = run();
  ASSERT_TRUE(made.failed());
  const auto& how = std::get<failed>(made.returned.value());
  EXPECT_TRUE(how.final);
  EXPECT_EQ(how.error, "plan kyoto has no spot 金閣寺");
  EXPECT_EQ(made.awaits, 0);
}

TEST_F(spot_image_trial, of_a_spot_that_was_deleted_meanwhile_leaves_no_file_behind) {
  spots_->answers = 1;
  const auto made = run();
  ASSERT_TRUE(made.failed());
  EXPECT_TRUE(std::get<failed>(made.returned.value()).final);
  EXPECT_FALSE(picture_.stored.contains("upload"));
  EXPECT_FALSE(is_stored(draft_file()));
  EXPECT_FALSE(is_stored(final_file()));
}

TEST_F(spot_image_trial, whose_draft_is_gone_is_painted_again) {
  picture_.stored["prompt"] = "anything";
  picture_.stored["generate"] = {{"file", draft_file()}, {"bytes", 1}};
  const auto made = run();
  ASSERT_TRUE(made.succeeded()) << made.error;
  EXPECT_EQ(made.awaits, all_awaits);
  EXPECT_TRUE(is_stored(final_file()));
}

TEST_F(spot_image_trial, that_cannot_be_stored_is_tried_again_later) {
  fs::remove_all(folder_ + "/spot_images");
  std::ofstream(folder_ + "/spot_images") << "in the way";
  const auto made = run();
  ASSERT_TRUE(made.returned) << made.error;
  ASSERT_TRUE(made.failed());
  EXPECT_FALSE(std::get<failed>(*made.returned).final);
  EXPECT_FALSE(picture_.stored.contains("generate"));
  fs::remove(folder_ + "/spot_images");
  EXPECT_TRUE(run().succeeded());
}

}  // namespace
}  // namespace rowrunner::spot_images
