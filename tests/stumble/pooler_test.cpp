// A worker that was not told of the pooler in front of its server.

#include "support/pooler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "common/pg/pooler_check.hpp"
#include "support/log_lines.hpp"
#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

bool found_by(const std::string& url) {
  boost::asio::io_context io;
  pg::settings options;
  options.url = url;
  auto found = boost::asio::co_spawn(io, pg::behind_transaction_pooler(io.get_executor(), options),
                                     boost::asio::use_future);
  io.run();
  return found.get();
}

TEST(pooler_check, finds_transaction_mode_whatever_its_processes_are) {
  const test_database db;
  EXPECT_TRUE(found_by(pooler(server_url()).through(db.url())));
  EXPECT_TRUE(found_by(pooler(server_url(), "default_pool_size = 1\n").through(db.url())));
  const pooler in_turn(server_url(), "server_round_robin = 1\nmin_pool_size = 2\n");
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(found_by(in_turn.through(db.url())));
}

TEST(pooler_check, finds_nothing_where_a_session_keeps_its_process) {
  const test_database db;
  EXPECT_FALSE(found_by(db.url()));
  const pooler sessions(server_url(), "pool_mode = session\n");
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(found_by(sessions.through(db.url())));
}

TEST(unannounced_pooler, every_job_succeeds_in_its_first_attempt) {
  jobs_database db;
  const pooler front(server_url());
  db.exec(
      "INSERT INTO test_jobs (name, action, times)"
      " SELECT 'a' || n, CASE n % 2 WHEN 0 THEN 'steps' ELSE 'progress' END, 2"
      " FROM generate_series(1, 200) n");
  worker_options options;
  options.database_url = front.through(db.url());
  log_lines log;
  const auto serve = [](worker& w) { w.add(test_kind(), run_test_job); };
  worker_thread one(options, serve, log.target());
  worker_thread two(options, serve);
  EXPECT_TRUE(db.becomes("SELECT count(*) FROM test_jobs WHERE status = 'succeeded'", "200"));
  one.stop();
  two.stop();
  EXPECT_EQ(db.value("SELECT sum(attempts) FROM test_jobs"), "0");
  EXPECT_THAT(db.violations(), IsEmpty());
  EXPECT_EQ(log.count("--pooled"), 1) << log.text();
  EXPECT_EQ(log.count("prepared statement"), 0) << log.text();
}

}  // namespace
}  // namespace rowrunner::testing
