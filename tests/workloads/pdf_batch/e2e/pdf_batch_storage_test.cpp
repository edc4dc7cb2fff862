// A storage that refuses, is full, or goes away: each is a reason, and nothing is half written.
#include <csignal>

#include "api/server_fixture.hpp"
#include "support/bucket_stand_in.hpp"
#include "workloads/pdf_batch/support/children.hpp"
#include "workloads/pdf_batch/support/pdf_fixture.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class pdf_batch_storage : public pdf_fixture {};

TEST_F(pdf_batch_storage, a_bucket_that_takes_no_result_is_a_reason) {
  bucket_stand_in bucket;
  auto settings = bucket.settings();
  const auto worker = start_worker(settings);
  const served server(db_.url(), settings);
  const auto upload = [&](const std::string& id) {
    return ask(server.port(), "POST", "/api/pdf-batch/upload?job_id=" + id, {}, make_pdf(2)).status;
  };
  ASSERT_EQ(upload("one"), 201) << server.port();
  db_.add("one", "uploads/one/document.pdf");
  ASSERT_TRUE(db_.reaches("one", "succeeded")) << db_.error("one");
  const auto refused =
      ask(server.port(), "POST", "/api/pdf-batch/upload?job_id=bad", {}, std::string(3000, 'x'));
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_FALSE(bucket.object("uploads/bad/document.pdf"));
  const auto got = ask(server.port(), "GET", "/api/pdf-batch/one/result");
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(json::parse(got.body)["pages"], 2);
  ASSERT_EQ(upload("two"), 201);
  // What a message says of buckets is not followed.
  db_.exec(
      "INSERT INTO pdf_batch_jobs (job_id, pdf_path, bucket_name)"
      " VALUES ('three', 'uploads/one/document.pdf', 'of-another')");
  ASSERT_TRUE(db_.reaches("three", "succeeded")) << db_.error("three");
  EXPECT_TRUE(bucket.object("results/three/result.json"));
  bucket.set_gate([](const std::string&, http_exchange& x) {
    x.answer(403, R"({"error":{"message":"no right to create"}})");
    return true;
  });
  db_.add("two", "uploads/two/document.pdf");
  ASSERT_TRUE(db_.reaches("two", "failed"));
  EXPECT_THAT(db_.error("two"), HasSubstr("403"));
  EXPECT_FALSE(bucket.object("results/two/result.json"));
}

TEST_F(pdf_batch_storage, a_full_disk_is_a_reason_and_nothing_is_half_written) {
  const auto small = folder_ + "/store";
  std::filesystem::create_directories(small);
  const auto mounted = run_process({"mount", "-t", "tmpfs", "-o", "size=64k", "none", small});
  if (mounted.exit_code != 0) GTEST_SKIP() << "no tmpfs can be mounted here: " << mounted.err;
  store("big.pdf", make_pdf(160));
  db_.add("big", "big.pdf");
  {
    const auto worker = start_worker();
    EXPECT_TRUE(db_.reaches("big", "failed")) << worker->err();
    EXPECT_THAT(db_.error("big"), HasSubstr("No space left on device"));
    EXPECT_FALSE(std::filesystem::exists(small + "/results/big/result.json"));
  }
  run_process({"umount", small});
}

/// A bucket that has uploads/one/document.pdf.
void fill(bucket_stand_in& bucket, const std::string& database, int pages) {
  const served server(database, bucket.settings());
  ASSERT_EQ(
      ask(server.port(), "POST", "/api/pdf-batch/upload?job_id=one", {}, make_pdf(pages)).status,
      201);
}

TEST_F(pdf_batch_storage, a_bucket_that_may_not_be_read_is_a_reason) {
  bucket_stand_in bucket;
  fill(bucket, db_.url(), 2);
  bucket.server().on(
      "GET /storage/v1/b/pictures/o/uploads%2Fone%2Fdocument.pdf",
      [](http_exchange& x) { x.answer(403, R"({"error":{"message":"no right to read"}})"); });
  const auto worker = start_worker(bucket.settings());
  db_.add("one", "uploads/one/document.pdf");
  ASSERT_TRUE(db_.reaches("one", "failed")) << worker->err();
  EXPECT_THAT(db_.error("one"), HasSubstr("403"));
  EXPECT_THAT(db_.error("one"), HasSubstr("read uploads/one/document.pdf from the storage"));
}

TEST_F(pdf_batch_storage, a_storage_that_goes_away_is_a_reason) {
  std::optional<bucket_stand_in> bucket(std::in_place);
  fill(*bucket, db_.url(), 20);
  auto settings = bucket->settings();
  settings.emplace("CHILD_PROCESSES", "1");
  const auto worker = start_worker(settings);
  db_.watch("rowrunner.steps");
  db_.add("one", "uploads/one/document.pdf");
  // In the middle: the file was read, and no result is written yet.
  const auto child = stop_child_of(worker->pid());
  ASSERT_GT(child, 0) << worker->err();
  bucket.reset();
  ASSERT_EQ(::kill(child, SIGCONT), 0);
  ASSERT_TRUE(db_.reaches("one", "failed")) << worker->err();
  EXPECT_THAT(db_.error("one"), HasSubstr("write results/one/result.json to the storage"));
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.steps WHERE step LIKE 'page %'"), "20");
}

}  // namespace
}  // namespace rowrunner::testing
