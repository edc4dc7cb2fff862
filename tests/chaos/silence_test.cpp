// A connection that has become silent: what is written on it may or may not have arrived.

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <cstdlib>
#include <filesystem>

#include "chaos/proxy/fault_proxy.hpp"
#include "queries/engine.hpp"
#include "support/jobs_database.hpp"
#include "support/test_handler.hpp"
#include "worker/finish.hpp"
#include "worker/job_writes.hpp"
#include "worker/lane.hpp"
#include "worker/lease_keeper.hpp"

namespace rowrunner::chaos {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

std::string make_folder() {
  std::string name = ::testing::TempDir() + "/silenceXXXXXX";
  return mkdtemp(name.data());
}

/// One claimed job, and a connection for writes that the proxy has made silent.
class silence : public ::testing::Test {
 protected:
  silence() {
    lanes.push_back(std::make_unique<lane>(testing::test_kind()));
    auto& home = *lanes.back();
    home.kind.id = std::stoi(db.value("SELECT id FROM rowrunner.kinds WHERE kind = 'test'"));
    home.kind.kind = "test";
    home.kind.table = "public.test_jobs";
    home.kind.cancelled_status = "cancelled";
    home.sql = kind_statements(home.kind, {});
    job->lane = &home;
    job->id = db.add("a");
    job->lease = std::stoll(db.value("SELECT rowrunner.claim('test', 'me', 1, '2 s') ->> 'lease'"));
    leases.open(job->lease, 1, lease_book::clock::now(), 2s);
    home.options.lease = 2s;
    connect();
    proxy.tell("stall writes");
  }
  ~silence() override { std::filesystem::remove_all(folder); }

  static pg::settings through(const std::string& url) {
    pg::settings settings;
    settings.url = url;
    return settings;
  }
  void connect() {
    const auto any = queries::listen.statement();
    bool connected = false;
    asio::co_spawn(*io, writes.run_one(pg::with(any)),
                   [&](const std::exception_ptr& failure, const pg::result&) {
                     connected = failure == nullptr;
                   });
    io->run();
    io->restart();
    ASSERT_TRUE(connected);
  }
  /// Lets the worker's parts run until that is so.
  template <typename Condition>
  bool until(const Condition& is_so) {
    const auto deadline = std::chrono::steady_clock::now() + 15s;
    while (!is_so() && std::chrono::steady_clock::now() < deadline) io->run_for(20ms);
    return is_so();
  }
  bool in_database(const std::string& sql) {
    return until([&] { return db.value(sql) == "t"; });
  }

  testing::jobs_database db;
  const std::string folder = make_folder();
  fault_proxy proxy{folder};
  std::shared_ptr<asio::io_context> io = std::make_shared<asio::io_context>();
  pg::session writes{io->get_executor(), through(proxy.open("writes", db.url()))};
  pg::session keeping{io->get_executor(), through(db.url())};
  logger log{log_level::off};
  lease_book leases;
  lane_list lanes;
  changes changed{io->get_executor()};
  job_ptr job = std::make_shared<running_job>();
};

TEST_F(silence, a_lease_whose_end_does_not_arrive_is_extended) {
  blocking_pool pool(1);
  finisher finish(*io, writes, leases, lanes, changed, log, "me");
  executor execute(io, pool, finish, lanes, changed);
  lease_keeper keeper(*io, keeping, leases, execute, log, "me", lanes);
  finish.add({job, succeeded{}});
  asio::co_spawn(*io, finish.run(), asio::detached);
  asio::co_spawn(*io, keeper.keep(), asio::detached);
  EXPECT_TRUE(until([&] { return !leases.being_ended().empty(); }));
  const auto before = db.value("SELECT expires_at FROM rowrunner.leases");
  EXPECT_TRUE(in_database("SELECT expires_at > '" + before +
                          "'::timestamptz + '2 s' FROM rowrunner.leases"));
  proxy.tell("heal writes");
  EXPECT_TRUE(in_database("SELECT status = 'succeeded' FROM test_jobs"));
  EXPECT_TRUE(until([&] { return job->lane->counts.total().succeeded == 1; }));
}

TEST_F(silence, a_handler_that_is_told_to_stop_does_not_wait_for_an_answer) {
  job_writes writing(io, writes, keeping, log, [](const job_ptr&) {});
  bool stopped = false;
  const auto left = [&](const std::exception_ptr& thrown, const nlohmann::json&) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const job_stopped&) {
      stopped = true;
    }
  };
  asio::co_spawn(*io, writing.store_step(job, "half", step_result(1)), left);
  // The connection is there, so the statement is sent by what is ready; after that only an answer,
  // which does not come, would go on.
  while (io->poll() > 0) {
  }
  EXPECT_FALSE(stopped);
  job->stopping.request_stop();
  EXPECT_TRUE(until([&] { return stopped; }));
  proxy.tell("heal writes");
  EXPECT_TRUE(in_database("SELECT count(*) = 1 FROM rowrunner.steps"));
}

}  // namespace
}  // namespace rowrunner::chaos
