// Real processes, killed while they work.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <future>
#include <optional>
#include <set>

#include "support/jobs_database.hpp"
#include "support/paths.hpp"
#include "support/pooler.hpp"
#include "support/process.hpp"
#include "support/test_handler.hpp"
#include "support/worker_pool.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::IsEmpty;
using namespace std::chrono_literals;

/// A worker process; it has claimed nothing before "worker started" is read.
std::unique_ptr<child_process> start_worker(const test_database& db,
                                            const std::vector<std::string>& extra = {},
                                            const process_environment& environment = {}) {
  const auto place = endpoint_for_workers(db.url());
  std::vector<std::string> argv{test_worker_binary(), place.url};
  if (place.pooled) argv.emplace_back("--pooled");
  argv.insert(argv.end(), extra.begin(), extra.end());
  return std::make_unique<child_process>(argv, environment);
}

TEST(kill, twenty_enqueuers_eight_workers_one_killed_every_second) {
  constexpr int jobs = 5'000, enqueuers = 20, workers = 8;
  jobs_database db;
  auto pool = std::make_optional<worker_pool>(workers, [&] { return start_worker(db); });

  std::vector<std::unique_ptr<child_process>> enqueuing;
  for (int i = 0; i < enqueuers; ++i) {
    enqueuing.push_back(std::make_unique<child_process>(std::vector<std::string>{
        test_worker_binary(), db.url(), "--enqueue", std::to_string(jobs)}));
  }
  const std::string done = "SELECT count(*) FROM test_jobs WHERE status = 'succeeded'";
  const int kills = pool->kill_until(db, done, std::to_string(jobs));
  long inserted = 0;
  for (auto& one : enqueuing) {
    EXPECT_EQ(one->wait(), 0) << one->err();
    inserted += std::stol(one->out().substr(9));
  }
  pool.reset();

  EXPECT_GE(kills, 3);
  EXPECT_EQ(inserted, jobs);  // I1: each acknowledged once
  EXPECT_EQ(db.value("SELECT count(*) FROM test_jobs"), std::to_string(jobs));
  EXPECT_EQ(db.value(done), std::to_string(jobs));
  EXPECT_EQ(db.value("SELECT count(*) || ' ' || count(DISTINCT name) FROM effects"), "5000 5000");
  // No attempt was charged but for a worker that was lost.
  EXPECT_EQ(
      db.value("SELECT count(*) FROM rowrunner.attempts WHERE error NOT LIKE 'worker % was lost'"),
      "0");
  EXPECT_EQ(
      db.value("SELECT sum(attempts) = (SELECT count(*) FROM rowrunner.attempts) FROM test_jobs"),
      "t");
  EXPECT_LE(std::stol(db.value("SELECT count(DISTINCT worker) FROM rowrunner.attempts")), kills);
  EXPECT_THAT(db.violations(), IsEmpty());
  RecordProperty("kills", kills);
}

TEST(kill, a_stopped_worker_that_comes_back_is_refused) {
  jobs_database db;
  for (int i = 0; i < 5; ++i) db.add("a" + std::to_string(i), "ok", 1'000);
  auto zombie = start_worker(db, {"--lease-ms", "2000", "--name", "zombie"});
  ASSERT_TRUE(db.becomes("SELECT count(*) FROM test_jobs WHERE status = 'processing'", "5"));
  zombie->kill(SIGSTOP);
  auto other = start_worker(db, {"--lease-ms", "2000", "--name", "other"});
  ASSERT_TRUE(db.becomes("SELECT count(*) FROM test_jobs WHERE status = 'succeeded'", "5"));
  EXPECT_EQ(db.value("SELECT string_agg(DISTINCT locked_by, ',') FROM test_jobs"), "other");
  zombie->kill(SIGCONT);
  // It finds its handlers due and its lease gone: it writes, or is told first; both are refused.
  ASSERT_TRUE(db.becomes(
      "SELECT coalesce(sum(refused), 0) FROM rowrunner.counters WHERE worker = 'zombie'", "5"));
  zombie->kill(SIGTERM);
  EXPECT_EQ(zombie->wait(), 0);
  EXPECT_THAT(zombie->out(), ::testing::HasSubstr("refused 5"));
  EXPECT_EQ(db.value("SELECT count(*) FROM effects"), "5");
  EXPECT_EQ(db.value("SELECT max(attempts) || ' ' || min(attempts) FROM test_jobs"), "1 1");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(kill, a_job_that_kills_its_worker_ends_failed_and_the_others_finish) {
  jobs_database db;
  db.add("poison", "crash");
  for (int i = 0; i < 20; ++i) db.add("a" + std::to_string(i), "ok", 0, 0, 100);
  const std::string left =
      "SELECT count(*) FROM test_jobs WHERE status NOT IN ('succeeded', 'failed')";
  auto one = start_worker(db, {"--lease-ms", "1000"});
  for (int starts = 1; !db.becomes(left, "0", 1s) && starts < 30; ++starts) {
    // As a supervisor does.
    if (one->wait(0ms)) one = start_worker(db, {"--lease-ms", "1000"});
  }
  EXPECT_EQ(db.value("SELECT status || attempts FROM test_jobs WHERE name = 'poison'"), "failed3");
  EXPECT_EQ(db.value("SELECT count(*) FROM test_jobs WHERE status = 'succeeded'"), "20");
  EXPECT_THAT(db.value("SELECT error FROM rowrunner.failures"), ::testing::HasSubstr("was lost"));
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(kill, steps_that_are_stored_are_not_run_again) {
  jobs_database db;
  db.add("a", "steps", 0, 4);
  const std::string log = ::testing::TempDir() + "/steps" + std::to_string(getpid());
  const process_environment env{{"TEST_STEP_LOG", log}};
  const auto first = start_worker(db, {"--lease-ms", "1000"}, env);
  EXPECT_EQ(first->wait(), 128 + SIGKILL);
  const auto second = start_worker(db, {"--lease-ms", "1000"}, env);
  EXPECT_TRUE(db.reaches("a", "succeeded"));
  const auto lines = run_process({"cat", log}).out;
  for (int i = 1; i <= 4; ++i) {
    const std::string line = "a step" + std::to_string(i) + "\n";
    const auto at = lines.find(line);
    EXPECT_NE(at, std::string::npos);
    EXPECT_EQ(lines.find(line, at + 1), std::string::npos) << lines;
  }
  EXPECT_THAT(db.violations(), IsEmpty());
}

/// The lines that are in a file, and how many different ones.
std::pair<long, long> lines_of(const std::string& path) {
  std::ifstream file(path);
  long lines = 0;
  std::set<std::string> different;
  for (std::string line; std::getline(file, line); ++lines) different.insert(line);
  return {lines, static_cast<long>(different.size())};
}

// Each lost worker had stored pages since its claim, so that none is charged, however many they
// are; the job has one attempt.
void read_pages_under_kills(int pages, int kills) {
  jobs_database db;
  db.watch("rowrunner.steps");
  const std::string log = ::testing::TempDir() + "/pages" + std::to_string(getpid());
  const process_environment env{{"TEST_STEP_LOG", log}};
  db.add("a", "pages", 2, pages, 1);
  const int between_kills = pages * 8 / 10 / kills;
  for (int kill = 1; kill <= kills; ++kill) {
    const auto one = start_worker(db, {"--lease-ms", "1000"}, env);
    ASSERT_TRUE(db.becomes(
        "SELECT count(*) >= " + std::to_string(kill * between_kills) + " FROM rowrunner.steps",
        "t"));
    one->kill(SIGKILL);
    one->wait();
  }
  const auto last = start_worker(db, {"--lease-ms", "1000"}, env);
  ASSERT_TRUE(db.becomes("SELECT count(*) FROM test_jobs WHERE status = 'succeeded'",
                         std::to_string(pages + 1)));
  EXPECT_EQ(db.value("SELECT attempts FROM test_jobs WHERE name = 'a'"), "0");
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.attempts t JOIN test_jobs j ON j.id = t.job_id"
                     " WHERE j.name = 'a' AND t.error LIKE 'worker % was lost'"),
            std::to_string(kills));
  const auto all = std::to_string(pages) + " " + std::to_string(pages);
  EXPECT_EQ(db.value("SELECT count(*) || ' ' || count(DISTINCT step) FROM step_effects"), all);
  EXPECT_EQ(
      db.value("SELECT count(*) || ' ' || count(DISTINCT s.step) FROM rowrunner.steps s"
               " JOIN step_effects e USING (job_id, step) JOIN test_jobs c ON c.name = s.step"),
      all)
      << "a page, its row and its child are there together";
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.steps"), std::to_string(pages));
  EXPECT_EQ(db.value("SELECT count(*) FROM test_jobs"), std::to_string(pages + 1));
  EXPECT_EQ(db.value("SELECT done FROM rowrunner.progress"), std::to_string(pages));
  const auto [begun, different] = lines_of(log);
  EXPECT_EQ(different, pages);
  EXPECT_LE(begun - different, kills * pages_at_once) << "only those in flight are read again";
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(kill, a_job_of_a_thousand_pages_goes_on_after_each_of_ten_kills_uncharged) {
  read_pages_under_kills(1000, 10);
}

// Quick enough to be run once more behind a pooler.
TEST(kill, a_job_of_a_hundred_pages_goes_on_after_each_of_two_kills_uncharged) {
  read_pages_under_kills(100, 2);
}

TEST(kill, sigterm_during_fifty_running_jobs_gives_them_back_uncharged) {
  jobs_database db;
  for (int i = 0; i < 60; ++i) db.add("a" + std::to_string(i), "ok", 3'600'000);
  auto one = start_worker(db, {"--concurrency", "50", "--grace-ms", "3000"});
  ASSERT_TRUE(db.becomes("SELECT count(*) >= 50 FROM test_jobs WHERE status = 'processing'", "t"));
  const auto asked = std::chrono::steady_clock::now();
  one->kill(SIGTERM);
  EXPECT_EQ(one->wait(), 0);
  EXPECT_LE(std::chrono::steady_clock::now() - asked, 3s);
  EXPECT_EQ(
      db.value("SELECT count(*) || ' ' || sum(attempts) FROM test_jobs WHERE status = 'queued'"),
      "60 0");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(kill, a_second_sigterm_ends_the_grace_period) {
  jobs_database db;
  db.add("a", "ok", 3'600'000);
  auto one = start_worker(db, {"--grace-ms", "3600000"});
  ASSERT_TRUE(db.reaches("a", "processing"));
  one->kill(SIGTERM);
  ASSERT_TRUE(one->wait_for_output_line("stopping"));
  one->kill(SIGTERM);
  EXPECT_EQ(one->wait(), 0);
  EXPECT_EQ(db.value("SELECT status || attempts FROM test_jobs"), "queued0");
}

TEST(kill, a_coroutine_that_blocks_the_engine_ends_the_process) {
  jobs_database db;
  db.add("a", "block", 0, 0, 1);
  auto one = start_worker(db, {"--lease-ms", "2000"});
  EXPECT_EQ(one->wait(), 70);
  EXPECT_THAT(one->err(), ::testing::HasSubstr("blocked the worker's thread"));
}

TEST(kill, a_blocking_handler_that_hangs_is_given_up_and_its_slot_regained) {
  jobs_database db;
  db.add("deaf", "deaf", 0, 0, 1);
  db.add("next");
  auto one =
      start_worker(db, {"--blocking", "--concurrency", "1", "--timeout-ms", "300", "--drain"});
  EXPECT_EQ(one->wait(), 0);
  EXPECT_EQ(db.status("deaf"), "failed");
  EXPECT_EQ(db.status("next"), "succeeded");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(kill, sigterm_counts_while_the_database_does_not_answer) {
  jobs_database db;
  auto one = start_worker(db, {"--grace-ms", "2500"});
  ASSERT_TRUE(one->wait_for_output_line("worker started"));
  pqxx::connection other(db.url());
  pqxx::work tx(other);
  tx.exec("LOCK TABLE rowrunner.kinds IN ACCESS EXCLUSIVE MODE");
  ASSERT_TRUE(db.becomes(
      "SELECT count(*) > 0 FROM pg_stat_activity WHERE application_name ="
      " 'rowrunner claims' AND wait_event_type = 'Lock' AND datname = current_database()",
      "t"));
  const auto asked = std::chrono::steady_clock::now();
  one->kill(SIGTERM);
  EXPECT_EQ(one->wait(), 0);
  EXPECT_LE(std::chrono::steady_clock::now() - asked, 5s);  // not the 30 s that the answer may take
}

}  // namespace
}  // namespace rowrunner::testing
