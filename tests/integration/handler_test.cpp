// What a handler is given and how it is called, as a coroutine and on a thread of its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <limits>

#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::IsEmpty;
using namespace std::chrono_literals;

TEST(worker, handlers_that_end_at_once_do_not_pile_up_on_the_stack) {
  jobs_database db;
  db.exec("INSERT INTO test_jobs (name) SELECT 'n' || i FROM generate_series(1, 5000) i");
  auto kind = test_kind();
  kind.max_concurrent = 1;
  std::uintptr_t lowest = std::numeric_limits<std::uintptr_t>::max(), highest = 0;
  const auto handler = [&](job&) -> boost::asio::awaitable<outcome> {
    // What is awaited is ready, so that nothing comes between this job's end and the next one's
    // start.
    co_await boost::asio::dispatch(boost::asio::use_awaitable);
    const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    lowest = std::min(lowest, frame);
    highest = std::max(highest, frame);
    co_return succeeded{};
  };
  auto options = worker_thread::options_for(db);
  options.drain = true;
  worker_thread one(options, [&](worker& w) { w.add(kind, handler); });
  EXPECT_EQ(one.join().succeeded, 5000);
  EXPECT_LT(highest - lowest, 100'000U) << "of stack, for 5,000 jobs";
}

TEST(worker, a_column_that_is_asked_for_as_another_type_fails_the_attempt_and_is_named) {
  jobs_database db;
  db.add("a", "ok", 0, 0, 1);
  auto options = worker_thread::options_for(db);
  options.drain = true;
  worker_thread one(options, [&](worker& w) {
    w.add(test_kind(), [](job& self) -> boost::asio::awaitable<outcome> {
      self.get<int>("name");
      co_return succeeded{};
    });
  });
  EXPECT_EQ(one.join().failed, 1);
  EXPECT_EQ(db.value("SELECT last_error FROM test_jobs"),
            "column name is \"a\", which is not a 32-bit integer");
}

TEST(worker, a_handler_reads_columns_of_any_type_as_the_server_writes_them) {
  jobs_database db;
  db.exec(
      "CREATE TYPE pair AS (a int, b text); CREATE DOMAIN short AS varchar(9);"
      "CREATE DOMAIN yes AS bool; ALTER TABLE test_jobs ADD none pair DEFAULT '(,)',"
      " ADD sure yes DEFAULT true, ADD words text;"
      "ALTER TABLE test_jobs ADD \"Odd \"\"name\" short DEFAULT 'abc', ADD flag bool DEFAULT true,"
      " ADD code char(3) DEFAULT 'x', ADD list text[] DEFAULT '{a,NULL,\"b c\"}',"
      " ADD doc jsonb DEFAULT '{\"k\": 1}', ADD raw bytea DEFAULT '\\x00ff', ADD half pair"
      " DEFAULT '(1,)', ADD nothing int, ADD empty text DEFAULT '', ADD amount numeric DEFAULT "
      "1.50");
  db.add("a");
  auto kind = test_kind();
  kind.columns = {"Odd \"name", "flag",  "code",   "list", "doc",  "raw",  "half",
                  "nothing",    "empty", "amount", "none", "sure", "words"};
  std::vector<std::optional<std::string>> read;
  const auto handler = [&](job& self) -> boost::asio::awaitable<outcome> {
    for (const auto& name : kind.columns) read.push_back(self.column(name));
    co_return succeeded{};
  };
  auto options = worker_thread::options_for(db);
  options.drain = true;
  worker_thread one(options, [&](worker& w) { w.add(kind, handler); });
  EXPECT_EQ(one.join().succeeded, 1);
  EXPECT_THAT(read,
              ::testing::ElementsAre("abc", "t", "x  ", "{a,NULL,\"b c\"}", "{\"k\": 1}", "\\x00ff",
                                     "(1,)", std::nullopt, "", "1.50", "(,)", "t", std::nullopt));
}

TEST(blocking_worker, steps_and_progress_work_from_a_thread) {
  jobs_database db;
  const std::string log = ::testing::TempDir() + "/blocking" + std::to_string(getpid());
  setenv("TEST_STEP_LOG", log.c_str(), 1);
  db.add("a", "steps", 0, 1);
  auto options = worker_thread::options_for(db);
  options.drain = true;
  worker_thread one(options,
                    [&](worker& w) { w.add_blocking(test_kind(), run_blocking_test_job); });
  const auto counts = one.join();
  EXPECT_EQ(counts.retried, 1);
  EXPECT_EQ(counts.succeeded, 1);
  EXPECT_EQ(db.value("SELECT result FROM rowrunner.steps"), "42");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(blocking_worker, a_thread_that_is_told_to_stop_ends_its_job) {
  jobs_database db;
  db.add("a", "obedient", 0, 0, 1);
  auto kind = test_kind();
  kind.timeout = 200ms;
  auto options = worker_thread::options_for(db);
  options.drain = true;
  worker_thread one(options, [&](worker& w) { w.add_blocking(kind, run_blocking_test_job); });
  EXPECT_EQ(one.join().failed, 1);
  EXPECT_EQ(db.value("SELECT last_error FROM test_jobs"), "timed out after 200 ms");
}

}  // namespace
}  // namespace rowrunner::testing
