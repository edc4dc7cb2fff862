// What is done must be written: whatever session locks a table, whatever a row refuses, whichever
// part of the worker fails.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <condition_variable>
#include <mutex>

#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

namespace asio = boost::asio;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

/// A second table of jobs, of the kind `other`.
class ends : public ::testing::Test {
 protected:
  ends() {
    db.exec(
        "CREATE TABLE other_jobs (LIKE test_jobs INCLUDING ALL);"
        "SELECT rowrunner.attach('other_jobs', kind => 'other')");
    other.kind = "other";
    other.retry = retry_policy::at_once();
  }

  void add_other(int jobs) {
    db.exec("INSERT INTO other_jobs (name) SELECT 'other' || n FROM generate_series(1, " +
            std::to_string(jobs) + ") n");
  }
  bool others_become(const std::string& status, int jobs) {
    return db.becomes("SELECT count(*) FROM other_jobs WHERE status = '" + status + "'",
                      std::to_string(jobs));
  }
  bool waits_for_a_lock(const std::string& connection) {
    return db.becomes(
        "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database()"
        " AND wait_event_type = 'Lock' AND application_name = 'rowrunner " +
            connection + "'",
        "t");
  }

  jobs_database db;
  kind_options other;
  std::atomic<bool> gate = false;
};

asio::awaitable<void> pass(const std::atomic<bool>& gate) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  while (!gate) {
    timer.expires_after(5ms);
    co_await timer.async_wait(asio::use_awaitable);
  }
}

TEST_F(ends, a_job_ends_while_steps_of_other_jobs_wait_for_a_locked_table) {
  const auto one_step = [&](job& self) -> asio::awaitable<outcome> {
    co_await pass(gate);
    std::function<asio::awaitable<nlohmann::json>()> body =
        []() -> asio::awaitable<nlohmann::json> { co_return nlohmann::json(1); };
    co_await self.step("s", std::move(body));
    co_return succeeded{};
  };
  auto options = worker_thread::options_for(db);
  options.lease = 3s;
  worker_thread both(options, [&](worker& w) {
    w.add(test_kind(), run_test_job);
    w.add(other, one_step);
  });
  add_other(3);
  ASSERT_TRUE(others_become("processing", 3));
  pqxx::connection blocker(db.url());
  pqxx::work tx(blocker);
  tx.exec("LOCK TABLE other_jobs IN ACCESS EXCLUSIVE MODE");
  gate = true;
  ASSERT_TRUE(waits_for_a_lock("ends"));
  db.add("b", "ok", 40);
  EXPECT_TRUE(db.reaches("b", "succeeded"));
  EXPECT_EQ(db.value("SELECT attempts FROM test_jobs"), "0");
  tx.commit();
  EXPECT_TRUE(others_become("succeeded", 3));
  EXPECT_EQ(db.value("SELECT sum(attempts) FROM other_jobs"), "0");
  const auto counts = both.stop();
  EXPECT_EQ(counts.rescued, 0);
  EXPECT_EQ(counts.refused, 0);
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST_F(ends, a_locked_table_holds_up_the_ends_of_no_other_kind_and_charges_no_job) {
  const auto quick = [&](job&) -> asio::awaitable<outcome> {
    co_await pass(gate);
    co_return succeeded{};
  };
  auto options = worker_thread::options_for(db);
  options.lease = 3s;
  other.max_concurrent = 40;
  worker_thread both(options, [&](worker& w) {
    w.add(test_kind(), run_test_job);
    w.add(other, quick);
  });
  add_other(40);
  ASSERT_TRUE(others_become("processing", 40));
  pqxx::connection blocker(db.url());
  pqxx::work tx(blocker);
  tx.exec("LOCK TABLE other_jobs IN ACCESS EXCLUSIVE MODE");
  gate = true;
  ASSERT_TRUE(waits_for_a_lock("ends"));
  for (int i = 0; i < 20; ++i) {
    const auto name = "b" + std::to_string(i);
    db.add(name);
    ASSERT_TRUE(db.reaches(name, "succeeded"));
  }
  // For longer than a lease.
  const auto then = db.value("SELECT clock_timestamp()");
  EXPECT_TRUE(db.becomes("SELECT clock_timestamp() > '" + then + "'::timestamptz + '4 s'", "t"));
  tx.commit();
  EXPECT_TRUE(others_become("succeeded", 40));
  EXPECT_EQ(db.value("SELECT sum(attempts) FROM other_jobs"), "0");
  EXPECT_EQ(both.stop().rescued, 0);
}

TEST_F(ends, a_job_ends_while_the_upkeep_waits_for_a_lock) {
  worker_thread one(db);
  db.add("a");
  ASSERT_TRUE(db.reaches("a", "succeeded"));
  pqxx::connection blocker(db.url());
  pqxx::work tx(blocker);
  tx.exec("LOCK TABLE rowrunner.counters IN ACCESS EXCLUSIVE MODE");
  ASSERT_TRUE(waits_for_a_lock("upkeep"));
  db.add("b");
  EXPECT_TRUE(db.reaches("b", "succeeded"));
  EXPECT_EQ(db.value("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                     " AND wait_event_type = 'Lock' AND application_name = 'rowrunner upkeep'"),
            "1");
  tx.commit();
}

TEST_F(ends, a_worker_whose_engine_fails_tells_its_threads_and_leaves) {
  // Two threads, one of which waits to be told to stop and one for the engine's answers.
  std::atomic<int> running = 0;
  const auto until_told = [&](blocking_job& self) -> outcome {
    if (++running == 1) {
      for (int i = 0;; ++i) self.progress(i, 0, "");
    }
    std::mutex lock;
    std::unique_lock hold(lock);
    std::condition_variable_any never;
    never.wait(hold, self.stop_token(), [] { return false; });
    return final_failure("told to stop");
  };
  const auto broken = [&](job&) -> asio::awaitable<outcome> {
    asio::post(co_await asio::this_coro::executor, [] { throw std::runtime_error("a defect"); });
    co_return succeeded{};
  };
  auto options = worker_thread::options_for(db);
  other.max_concurrent = 2;
  worker_thread both(options, [&](worker& w) {
    w.add_blocking(other, until_told);
    w.add(test_kind(), broken);
  });
  add_other(2);
  ASSERT_TRUE(db.becomes("SELECT count(*) FROM rowrunner.progress", "1"));
  db.add("a");
  EXPECT_THAT([&] { both.join(); },
              ::testing::ThrowsMessage<std::runtime_error>(::testing::StrEq("a defect")));
  EXPECT_TRUE(others_become("queued", 2));
  EXPECT_EQ(db.value("SELECT sum(attempts) FROM other_jobs"), "0");
}

}  // namespace
}  // namespace rowrunner::testing
