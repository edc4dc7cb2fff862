// Two hundred files, hostile, broken and good ones: every job ends, and the worker lives.
#include <map>
#include <sstream>

#include "workloads/pdf/hostile.hpp"
#include "workloads/pdf_batch/support/children.hpp"
#include "workloads/pdf_batch/support/pdf_fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

class pdf_batch_hostile : public pdf_fixture {
 protected:
  /// Every tenth job is for a good file.
  void add_all(std::size_t count) {
    const auto good = make_pdf(3);
    const auto bad = hostile_files({good, make_pdf(1)}, count, 20260212);
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_good = i % 10 == 9;
      const auto name = (is_good ? "good-" : "bad-") + std::to_string(i);
      store(name + ".pdf", is_good ? good : bad[i - i / 10].text);
      if (!is_good) names_[bad[i - i / 10].name] = name;
    }
    db_.exec(
        "INSERT INTO pdf_batch_jobs (job_id, pdf_path)"
        " SELECT name, name || '.pdf' FROM (SELECT CASE n % 10 WHEN 9 THEN 'good-' ELSE 'bad-' END"
        "  || n AS name FROM generate_series(0, " +
        std::to_string(count - 1) + ") n ORDER BY n) names");
  }
  void sample_children(pid_t worker) {
    for (const auto child : children_of(worker)) {
      largest_child_ = std::max(largest_child_, peak_memory(child));
    }
  }

  /// The job of each hostile file.
  std::map<std::string, std::string> names_;
  int largest_child_ = 0;
};

TEST_F(pdf_batch_hostile, every_job_ends_and_the_worker_lives) {
  add_all(200);
  const auto worker = start({"worker", "--kind", "pdf_batch:8"},
                            {{"CHILD_MEMORY_MB", "512"}, {"CHILD_CPU_SECONDS", "2"}});
  for (int ended = 5; ended <= 200; ended += 5) {
    ASSERT_TRUE(db_.becomes("SELECT count(*) >= " + std::to_string(ended) +
                                " FROM pdf_batch_jobs WHERE status IN ('succeeded', 'failed')",
                            "t", std::chrono::seconds(120)))
        << db_.value(
               "SELECT string_agg(job_id, ' ') FROM pdf_batch_jobs"
               " WHERE status NOT IN ('succeeded', 'failed')");
    sample_children(worker->pid());
  }
  EXPECT_FALSE(worker->wait(std::chrono::milliseconds(0))) << worker->err();
  EXPECT_EQ(db_.value("SELECT string_agg(job_id, ' ') FROM pdf_batch_jobs"
                      " WHERE job_id LIKE 'good-%' AND status <> 'succeeded'"),
            "");
  EXPECT_EQ(db_.value("SELECT count(*) FROM pdf_batch_jobs"
                      " WHERE status = 'failed' AND coalesce(last_error, '') = ''"),
            "0");
  std::istringstream good(
      db_.value("SELECT string_agg(job_id, ' ') FROM pdf_batch_jobs WHERE status = 'succeeded'"));
  for (std::string job; good >> job;) EXPECT_TRUE(result(job).is_object()) << job;
  EXPECT_THAT(db_.error(names_["encrypted"]), HasSubstr("encrypted"));
  EXPECT_THAT(db_.error(names_["claims_a_million"]), HasSubstr("at most 10000"));
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.attempts WHERE error LIKE '%was lost%'"),
            "0");
  EXPECT_LT(peak_memory(worker->pid()), 400);
  EXPECT_GT(largest_child_, 0);
  EXPECT_LE(largest_child_, 512);
}

}  // namespace
}  // namespace rowrunner::testing
