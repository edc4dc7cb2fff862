#include "common/errors.hpp"
#include "common/storage/make_store.hpp"
#include "http_fixture.hpp"

namespace rowrunner::storage {
namespace {

using ::testing::HasSubstr;
using variables = std::map<std::string, std::string>;

class storage_make_store : public http::http_fixture {
 protected:
  std::unique_ptr<store> made(const variables& given) {
    return make_store(environment(given), http_);
  }

  std::string refusal(const variables& given) {
    try {
      made(given);
    } catch (const usage_error& why) {
      return why.what();
    }
    return "no error";
  }

  http::client http_{io_.get_executor()};
};

TEST_F(storage_make_store, is_local_unless_told_otherwise) {
  EXPECT_THAT(made({})->url("a"), ::testing::EndsWith("/local_storage/a"));
  EXPECT_EQ(made({{"STORAGE_TYPE", "LOCAL"}, {"LOCAL_STORAGE_PATH", "/var/files/"}})->url("a"),
            "file:///var/files/a");
}

TEST_F(storage_make_store, is_a_bucket) {
  variables given{{"STORAGE_TYPE", "GCP"}, {"GCS_BUCKET_NAME", "pictures"}};
  EXPECT_EQ(made(given)->url("a"), "https://storage.googleapis.com/pictures/a");
  given["STORAGE_EMULATOR_HOST"] = "localhost:4443";
  EXPECT_EQ(made(given)->url("a"), "http://localhost:4443/pictures/a");
  given["GCS_BASE_URL"] = "https://proxy.example.com/gcs/";
  EXPECT_EQ(made(given)->url("a"), "https://proxy.example.com/gcs/pictures/a");
}

TEST_F(storage_make_store, an_emulator_that_asks_for_no_credentials_may_be_anywhere) {
  EXPECT_EQ(made({{"STORAGE_TYPE", "GCP"},
                  {"GCS_BUCKET_NAME", "pictures"},
                  {"STORAGE_EMULATOR_HOST", "fake-gcs:4443"}})
                ->url("a"),
            "http://fake-gcs:4443/pictures/a");
}

TEST_F(storage_make_store, names_the_variable_that_is_wrong) {
  EXPECT_THAT(refusal({{"STORAGE_TYPE", "S3"}}), HasSubstr("STORAGE_TYPE: S3"));
  variables given{{"STORAGE_TYPE", "GCP"}};
  EXPECT_THAT(refusal(given), HasSubstr("GCS_BUCKET_NAME"));
  given["GCS_BUCKET_NAME"] = "pictures";
  given["GCS_BASE_URL"] = "nonsense";
  EXPECT_THAT(refusal(given), HasSubstr("GCS_BASE_URL"));
  given.erase("GCS_BASE_URL");
  given["GOOGLE_APPLICATION_CREDENTIALS"] = "/no/such/file";
  EXPECT_THAT(refusal(given), HasSubstr("GOOGLE_APPLICATION_CREDENTIALS"));
}

TEST_F(storage_make_store, asks_an_emulator_without_credentials) {
  http::http_stand_in server;
  server.on("GET /storage/v1/b/pictures/o/a",
            [](http::http_exchange& x) { x.answer(200, "hello"); });
  const auto files = made({{"STORAGE_TYPE", "gcp"},
                           {"GCS_BUCKET_NAME", "pictures"},
                           {"STORAGE_EMULATOR_HOST", server.url("")}});
  play([&]() -> asio::awaitable<void> { EXPECT_EQ(co_await files->get("a", 100), "hello"); });
}

}  // namespace
}  // namespace rowrunner::storage
