// Jobs whose child processes are slow, crash, cannot be started, or are to stop.
#include <csignal>
#include <fstream>

#include "api/server_fixture.hpp"
#include "workloads/pdf_batch/support/children.hpp"
#include "workloads/pdf_batch/support/pdf_fixture.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class pdf_batch_children : public pdf_fixture {
 protected:
  int attempts() { return std::stoi(db_.value("SELECT attempts FROM pdf_batch_jobs")); }
};

TEST_F(pdf_batch_children, that_cannot_be_started_are_no_failure_of_the_job) {
  add("test-1", make_pdf(3));
  {
    const auto worker = start_worker({{"CHILD_PROGRAM", "/bin/false"}});
    ASSERT_TRUE(worker->wait_for_output_line("the job waits for a child process")) << worker->err();
    EXPECT_TRUE(db_.becomes("SELECT status || (run_at > now()) FROM pdf_batch_jobs", "queuedtrue"));
  }
  EXPECT_EQ(attempts(), 0);
  db_.exec("UPDATE pdf_batch_jobs SET run_at = now()");
  const auto worker = start_worker();
  EXPECT_TRUE(db_.reaches("test-1", "succeeded")) << db_.error("test-1");
  EXPECT_EQ(attempts(), 0);
}

TEST_F(pdf_batch_children, that_are_slow_keep_the_lease_of_their_job) {
  add("test-1", make_pdf(3));
  const auto worker = start_worker({{"CHILD_PROCESSES", "1"}});
  const auto child = stop_child_of(worker->pid());
  ASSERT_GT(child, 0) << worker->err();
  // One that would take the job over if the lease ended.
  const auto other = start_worker();
  // The lease of one second was extended until four seconds after the claim.
  EXPECT_TRUE(
      db_.becomes("SELECT (SELECT max(l.expires_at) FROM rowrunner.leases l) >"
                  " (SELECT j.locked_at + interval '4 s' FROM pdf_batch_jobs j)",
                  "t"));
  ASSERT_EQ(::kill(child, SIGCONT), 0);
  EXPECT_TRUE(db_.reaches("test-1", "succeeded")) << db_.error("test-1");
  EXPECT_EQ(attempts(), 0);
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.attempts"), "0");
  EXPECT_THAT(other->err(), Not(HasSubstr("PDF has")));
}

TEST_F(pdf_batch_children, are_killed_when_their_job_is_cancelled) {
  add("test-1", make_pdf(2000));
  const auto worker = start_worker({{"CHILD_PROCESSES", "1"}});
  const auto child = stop_child_of(worker->pid());
  ASSERT_GT(child, 0) << worker->err();
  const auto id = db_.value("SELECT id FROM pdf_batch_jobs");
  EXPECT_EQ(run({"jobs", "cancel", id, "--reason", "not needed"}).exit_code, 0);
  EXPECT_TRUE(db_.reaches("test-1", "cancelled"));
  EXPECT_TRUE(becomes_gone(child));
  EXPECT_EQ(stored("results/test-1/result.json"), "");
  EXPECT_FALSE(worker->wait(std::chrono::milliseconds(0))) << worker->err();
}

TEST_F(pdf_batch_children, that_crash_in_the_middle_leave_the_last_progress) {
  add("test-1", make_pdf(12));
  const auto worker = start_worker({{"CHILD_PROGRAM", CRASHING_CHILD}});
  ASSERT_TRUE(db_.reaches("test-1", "failed")) << worker->err();
  EXPECT_THAT(db_.error("test-1"), HasSubstr("page 7: the file crashes the program"));
  EXPECT_THAT(db_.error("test-1"), HasSubstr("Trace:\n  analyse page 7/12\n"));
  const served server(db_.url(), {{"LOCAL_STORAGE_PATH", folder_ + "/store"}});
  const auto status = json::parse(ask(server.port(), "GET", "/api/pdf-batch/test-1").body);
  EXPECT_EQ(status["status"], "failed");
  EXPECT_EQ(status["message"], "Error occurred");
  // Pages before it were stored and reported.
  const auto done = std::stoi(db_.value("SELECT done FROM rowrunner.progress"));
  EXPECT_GE(done, 1);
  EXPECT_EQ(status["progress"], done * 100 / 12);
  EXPECT_EQ(status["result_url"], "");
  // The worker lives.
  add("short", make_pdf(6));
  EXPECT_TRUE(db_.reaches("short", "succeeded")) << db_.error("short");
}

}  // namespace
}  // namespace rowrunner::testing
