// One job's life in a worker of this process: what each outcome makes of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::IsEmpty;
using namespace std::chrono_literals;

/// Runs what is due and returns when nothing is left.
worker_counts drain(const test_database& db, kind_options kind = test_kind()) {
  auto options = worker_thread::options_for(db);
  options.drain = true;
  worker_thread one(options, [&](worker& w) { w.add(kind, run_test_job); });
  return one.join();
}

TEST(worker, runs_a_job_once_with_its_effect) {
  jobs_database db;
  db.add("a");
  const auto counts = drain(db);
  EXPECT_EQ(counts.succeeded, 1);
  EXPECT_EQ(db.status("a"), "succeeded");
  EXPECT_EQ(db.value("SELECT attempts FROM test_jobs"), "0");
  EXPECT_EQ(db.value("SELECT count(*) FROM effects"), "1");
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.leases"), "0");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(worker, a_job_that_fails_twice_then_succeeds) {
  jobs_database db;
  db.add("a", "flaky", 0, 2);
  const auto counts = drain(db);
  EXPECT_EQ(counts.retried, 2);
  EXPECT_EQ(counts.succeeded, 1);
  EXPECT_EQ(db.value("SELECT status || attempts || last_error FROM test_jobs"), "succeeded2flaky");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(worker, a_job_that_always_fails_ends_failed_and_can_be_requeued) {
  jobs_database db;
  const auto id = db.add("a", "fail");
  EXPECT_EQ(drain(db).failed, 1);
  EXPECT_EQ(db.value("SELECT status || attempts || last_error FROM test_jobs"), "failed3boom 3");
  EXPECT_EQ(db.value("SELECT error FROM rowrunner.failures"), "boom 3");
  EXPECT_EQ(db.value("SELECT string_agg(error, ',' ORDER BY attempt) FROM rowrunner.attempts"),
            "boom 1,boom 2,boom 3");
  EXPECT_EQ(db.value("SELECT rowrunner.requeue('test', '" + id + "')"), "t");
  db.exec("UPDATE test_jobs SET action = 'ok'");
  EXPECT_EQ(drain(db).succeeded, 1);
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.failures"), "0");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(worker, a_final_failure_is_not_retried) {
  jobs_database db;
  db.add("a", "final");
  drain(db);
  EXPECT_EQ(db.value("SELECT status || attempts || last_error FROM test_jobs"), "failed1no use");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(worker, a_retry_waits_as_the_policy_says) {
  jobs_database db;
  db.add("a", "flaky", 0, 1);
  auto kind = test_kind();
  kind.retry = {1h, 1h, 0};
  EXPECT_EQ(drain(db, kind).retried, 1);
  EXPECT_EQ(db.value("SELECT run_at BETWEEN now() + '59 min' AND now() + '61 min' FROM test_jobs"),
            "t");
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.delayed"), "1");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(worker, retry_after_overrides_the_policy_and_the_job_runs_when_due) {
  jobs_database db;
  db.add("a", "later", 300);
  worker_thread one(db);
  EXPECT_TRUE(db.reaches("a", "succeeded"));
  EXPECT_EQ(db.value("SELECT max(at) - min(at) >= '300 ms' FROM history"), "t");
  one.stop();
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(worker, a_snooze_charges_nothing) {
  jobs_database db;
  db.add("a", "snooze", 200);
  const std::string log = ::testing::TempDir() + "/snooze" + std::to_string(getpid());
  setenv("TEST_STEP_LOG", log.c_str(), 1);
  worker_thread one(db);
  EXPECT_TRUE(db.reaches("a", "succeeded"));
  EXPECT_EQ(one.stop().released, 1);
  EXPECT_EQ(db.value("SELECT attempts FROM test_jobs"), "0");
  EXPECT_EQ(db.value("SELECT count(*) FROM history WHERE after = 'processing'"), "2");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(worker, a_delayed_job_starts_when_its_time_comes) {
  jobs_database db;
  worker_thread one(db);
  db.exec("INSERT INTO test_jobs (name, run_at) VALUES ('a', now() + '700 ms')");
  EXPECT_TRUE(db.reaches("a", "succeeded"));
  EXPECT_EQ(db.value("SELECT min(h.at) >= j.run_at FROM history h JOIN test_jobs j USING (name)"
                     " GROUP BY j.run_at"),
            "t");
}

/// The names of all that is due, in the order in which one slot ran them.
std::string run_order(const test_database& db) {
  std::string order;
  auto kind = test_kind();
  kind.max_concurrent = 1;
  auto options = worker_thread::options_for(db);
  options.drain = true;
  const coroutine_handler note = [&](job& self) -> boost::asio::awaitable<outcome> {
    order += self.text("name");
    return run_test_job(self);
  };
  worker_thread(options, [&](worker& w) { w.add(kind, note); }).join();
  return order;
}

TEST(worker, runs_by_priority_then_age) {
  jobs_database db;
  db.exec("INSERT INTO test_jobs (name, priority) VALUES ('c', 5), ('a', -1), ('b', 0), ('d', 5)");
  EXPECT_EQ(run_order(db), "abcd");
}

TEST(worker, a_timeout_charges_an_attempt_and_frees_the_slot) {
  jobs_database db;
  db.add("slow", "ok", 3'600'000, 0, 1);
  db.add("next");
  auto kind = test_kind();
  kind.max_concurrent = 1;
  kind.timeout = 200ms;
  drain(db, kind);
  EXPECT_EQ(db.value("SELECT status || ' ' || last_error FROM test_jobs WHERE name = 'slow'"),
            "failed timed out after 200 ms");
  EXPECT_EQ(db.status("next"), "succeeded");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(worker, a_handler_that_ignores_the_timeout_is_given_up) {
  jobs_database db;
  db.add("deaf", "deaf", 0, 0, 1);
  db.add("next");
  auto kind = test_kind();
  kind.max_concurrent = 1;
  kind.timeout = 200ms;
  drain(db, kind);
  EXPECT_EQ(db.status("deaf"), "failed");
  EXPECT_EQ(db.status("next"), "succeeded");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(worker, cancelling_a_running_job_reaches_its_handler) {
  jobs_database db;
  const auto id = db.add("a", "ok", 3'600'000);
  worker_thread one(db);
  ASSERT_TRUE(db.reaches("a", "processing"));
  EXPECT_EQ(db.value("SELECT rowrunner.cancel('test', '" + id + "', 'enough')"), "requested");
  EXPECT_TRUE(db.reaches("a", "cancelled"));
  EXPECT_EQ(db.value("SELECT last_error FROM test_jobs"), "cancelled: enough");
  EXPECT_EQ(
      db.value("SELECT h.at - c.requested_at < '2 s' FROM history h, rowrunner.cancellations c"
               " WHERE h.after = 'cancelled'"),
      "t");
  EXPECT_EQ(one.stop().cancelled, 1);
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(worker, cancelling_a_waiting_job_ends_it_at_once) {
  jobs_database db;
  const auto id = db.add("a");
  EXPECT_EQ(db.value("SELECT rowrunner.cancel('test', '" + id + "')"), "cancelled");
  EXPECT_EQ(drain(db).claimed, 0);
  EXPECT_EQ(db.status("a"), "cancelled");
}

TEST(worker, a_handler_may_end_its_job_as_cancelled) {
  jobs_database db;
  db.add("a", "cancelled");
  EXPECT_EQ(drain(db).cancelled, 1);
  EXPECT_EQ(db.status("a"), "cancelled");
}

TEST(worker, a_job_whose_row_was_requeued_by_hand_is_fenced_off) {
  jobs_database db;
  db.add("a", "ok", 1'500);
  worker_thread one(db);
  ASSERT_TRUE(db.reaches("a", "processing"));
  db.exec("UPDATE test_jobs SET status = 'queued'");
  EXPECT_TRUE(db.reaches("a", "succeeded"));
  const auto counts = one.stop();
  EXPECT_EQ(counts.succeeded, 1);
  EXPECT_EQ(counts.refused, 1);
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(worker, an_effect_that_the_database_refuses_fails_the_attempt_alone) {
  jobs_database db;
  db.add("bad", "effect", 0, 0, 1);
  for (int i = 0; i < 5; ++i) db.add("good" + std::to_string(i));
  const auto counts = drain(db);
  EXPECT_EQ(counts.succeeded, 5);
  EXPECT_EQ(db.value("SELECT status FROM test_jobs WHERE last_error LIKE '%null value%'"),
            "failed");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(worker, progress_is_seen_from_outside) {
  jobs_database db;
  db.add("a", "progress", 0, 3);
  drain(db);
  EXPECT_EQ(db.value("SELECT done || '/' || total || ' ' || message FROM rowrunner.progress"),
            "3/3 part 3");
}

TEST(worker, a_paused_kind_runs_nothing_until_it_is_resumed) {
  jobs_database db;
  db.exec("UPDATE rowrunner.kinds SET paused = true WHERE kind = 'test'");
  db.add("a");
  EXPECT_EQ(drain(db).claimed, 0);
  worker_thread one(db);
  db.exec("UPDATE rowrunner.kinds SET paused = false WHERE kind = 'test'");
  EXPECT_TRUE(db.reaches("a", "succeeded"));
}

TEST(worker, serves_several_kinds_each_with_its_own_concurrency) {
  jobs_database db;
  db.exec(
      "CREATE TABLE other_jobs (LIKE test_jobs INCLUDING ALL);"
      "SELECT rowrunner.attach('other_jobs', kind => 'other')");
  for (int i = 0; i < 6; ++i) {
    db.add("a" + std::to_string(i));
    db.exec("INSERT INTO other_jobs (name) VALUES ('b" + std::to_string(i) + "')");
  }
  std::mutex lock;
  std::condition_variable changed;
  int inside = 0, most = 0;
  auto options = worker_thread::options_for(db);
  options.drain = true;
  worker_thread both(options, [&](worker& w) {
    w.add(test_kind(), run_test_job);
    kind_options other;
    other.kind = "other";
    other.max_concurrent = 2;
    w.add_blocking(other, [&](blocking_job&) -> outcome {
      std::unique_lock hold(lock);
      most = std::max(most, ++inside);
      changed.notify_all();
      // The first waits for a second one beside it; a third would be seen.
      changed.wait(hold, [&] { return most >= 2; });
      --inside;
      return succeeded{};
    });
  });
  EXPECT_EQ(both.join().succeeded, 12);
  EXPECT_EQ(most, 2);
}

TEST(worker, max_jobs_ends_it_after_so_many) {
  jobs_database db;
  for (int i = 0; i < 9; ++i) db.add("a" + std::to_string(i));
  auto options = worker_thread::options_for(db);
  options.max_jobs = 4;
  worker_thread one(options, [&](worker& w) { w.add(test_kind(), run_test_job); });
  EXPECT_EQ(one.join().succeeded, 4);
  EXPECT_EQ(db.value("SELECT count(*) FROM test_jobs WHERE status = 'queued'"), "5");
}

TEST(worker, max_time_ends_it_and_gives_back_what_runs) {
  jobs_database db;
  db.add("a", "ok", 3'600'000);
  auto options = worker_thread::options_for(db);
  options.max_time = 500ms;
  options.shutdown_grace = 1500ms;  // all of it to give back what runs
  worker_thread one(options, [&](worker& w) { w.add(test_kind(), run_test_job); });
  EXPECT_EQ(one.join().released, 1);
  EXPECT_EQ(db.status("a"), "queued");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(worker, released_jobs_are_at_the_front_in_their_old_order) {
  jobs_database db;
  for (const char* name : {"a", "b", "c"}) db.add(name, "ok", 3'600'000);
  auto options = worker_thread::options_for(db);
  options.shutdown_grace = 1500ms;  // all of it to give back what runs
  auto kind = test_kind();
  kind.max_concurrent = 3;
  worker_thread one(options, [&](worker& w) { w.add(kind, run_test_job); });
  ASSERT_TRUE(db.becomes("SELECT count(*) FROM test_jobs WHERE status = 'processing'", "3"));
  db.add("d");
  EXPECT_EQ(one.stop().released, 3);
  db.exec("UPDATE test_jobs SET ms = 0");
  EXPECT_EQ(run_order(db), "abcd");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(worker, what_waits_behind_a_long_job_goes_back_to_the_queue) {
  jobs_database db;
  db.exec(
      "INSERT INTO test_jobs (name, action, ms)"
      " SELECT 'job ' || i, 'ok', CASE i WHEN 60 THEN 3600000 ELSE 0 END"
      " FROM generate_series(1, 200) i");
  auto options = worker_thread::options_for(db);
  options.shutdown_grace = 1500ms;  // all of it to give back what runs
  auto kind = test_kind();
  kind.max_concurrent = 1;
  worker_thread stuck(options, [&](worker& w) { w.add(kind, run_test_job); });
  ASSERT_TRUE(db.reaches("job 60", "processing"));
  // Short jobs are claimed ahead of their turn, so some were taken that are behind the long one.
  EXPECT_TRUE(db.becomes("SELECT count(*) FROM test_jobs WHERE status = 'processing'", "1"));
  EXPECT_EQ(drain(db).succeeded, 140);
  EXPECT_GT(stuck.stop().released, 1);
  EXPECT_EQ(db.value("SELECT sum(attempts) FROM test_jobs"), "0");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(worker, retention_deletes_old_finished_jobs_and_what_belongs_to_them) {
  jobs_database db;
  db.exec("UPDATE rowrunner.kinds SET retention = '1 hour' WHERE kind = 'test'");
  for (int i = 0; i < 3; ++i) db.add("old" + std::to_string(i), "progress", 0, 1);
  db.add("young");
  drain(db);
  db.exec("UPDATE test_jobs SET updated_at = now() - interval '2 hours' WHERE name LIKE 'old%'");
  db.add("waiting", "ok", 3'600'000);
  worker_thread one(db);
  EXPECT_TRUE(
      db.becomes("SELECT string_agg(name, ',' ORDER BY name) FROM test_jobs", "waiting,young"));
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.progress"), "0");
}

TEST(worker, counts_are_saved_per_minute) {
  jobs_database db;
  db.add("a");
  db.add("b", "final");
  drain(db);
  EXPECT_EQ(db.value("SELECT sum(claimed) || ' ' || sum(succeeded) || ' ' || sum(failed)"
                     " FROM rowrunner.counters"),
            "2 1 1");
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.workers"), "0");
}

TEST(worker, refuses_to_start_with_an_unknown_kind_or_column) {
  jobs_database db;
  const auto start = [&](kind_options kind) {
    worker_thread(worker_thread::options_for(db), [&](worker& w) {
      w.add(kind, run_test_job);
    }).join();
  };
  auto kind = test_kind();
  kind.columns.emplace_back("nonsense");
  EXPECT_THROW(start(kind), std::runtime_error);
  kind = test_kind();
  kind.kind = "unknown";
  EXPECT_THROW(start(kind), std::runtime_error);
  kind = test_kind();
  kind.max_concurrent = 0;
  EXPECT_THROW(start(kind), std::invalid_argument);
}

TEST(worker, refuses_a_database_without_schema) {
  test_database empty(test_database::contents::empty);
  worker_thread one(empty);
  EXPECT_THROW(one.join(), std::runtime_error);
}

}  // namespace
}  // namespace rowrunner::testing
