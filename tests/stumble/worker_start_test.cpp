// A worker starts with the kinds that it can serve, and says which it cannot.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/base_sink.h>

#include <csignal>
#include <cstdlib>
#include <mutex>

#include "support/two_kinds.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

worker_options draining(const test_database& db) {
  auto options = worker_thread::options_for(db);
  options.drain = true;
  return options;
}

/// With the permissions of a worker and no more.
worker_options draining_as_worker_role(const test_database& db) {
  auto options = draining(db);
  options.pooled = false;
  options.database_url = db.url() + (db.url().find('?') == std::string::npos ? "?" : "&") +
                         "options=-c%20role%3Drowrunner_worker";
  return options;
}

std::string error_of(worker_thread& worker) {
  try {
    worker.join();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(worker_start, leaves_out_a_kind_whose_table_was_dropped) {
  two_kinds db;
  db.add_other(5);
  const auto oid = db.value("SELECT 'public.test_jobs'::regclass::oid");
  db.exec("DROP TABLE public.test_jobs CASCADE");
  log_lines log;
  EXPECT_EQ(worker_thread(draining(db), two_kinds::serve, log.target()).join().succeeded, 5);
  EXPECT_EQ(log.count("a kind is left out"), 1) << log.text();
  EXPECT_THAT(log.text(), HasSubstr("kind=test"));
  EXPECT_THAT(log.text(), HasSubstr("(OID " + oid +
                                    ") was dropped: "
                                    "SELECT rowrunner.detach('test')"));
  EXPECT_EQ(log.count("kinds=other"), 1) << log.text();
}

TEST(worker_start, fails_if_no_kind_remains) {
  two_kinds db;
  db.exec("DROP TABLE public.test_jobs CASCADE; DROP TABLE public.other_jobs CASCADE");
  worker_thread one(draining(db), two_kinds::serve);
  EXPECT_THAT(error_of(one), HasSubstr("was dropped: SELECT rowrunner.detach('test')"));
}

TEST(worker_start, leaves_out_a_kind_whose_table_it_may_not_update_and_names_the_grant) {
  two_kinds db;
  db.add_other(5);
  db.exec("REVOKE UPDATE ON public.test_jobs FROM rowrunner_worker");
  log_lines log;
  const auto options = draining_as_worker_role(db);
  EXPECT_EQ(worker_thread(options, two_kinds::serve, log.target()).join().succeeded, 5);
  EXPECT_EQ(log.count("a kind is left out"), 1) << log.text();
  EXPECT_THAT(log.text(),
              HasSubstr("GRANT SELECT, UPDATE, DELETE ON public.test_jobs TO rowrunner_worker"));
  db.exec("REVOKE SELECT ON public.other_jobs FROM rowrunner_worker");
  worker_thread none(options, two_kinds::serve);
  EXPECT_THAT(error_of(none), HasSubstr("may not read and update the table public.test_jobs"));
}

TEST(worker_start, leaves_out_a_kind_whose_schema_it_may_not_use) {
  two_kinds db;
  db.add_other(5);
  db.exec("CREATE SCHEMA closed; ALTER TABLE public.test_jobs SET SCHEMA closed");
  log_lines log;
  const auto options = draining_as_worker_role(db);
  EXPECT_EQ(worker_thread(options, two_kinds::serve, log.target()).join().succeeded, 5);
  EXPECT_THAT(log.text(), HasSubstr("GRANT USAGE ON SCHEMA closed TO rowrunner_worker"));
}

/// Sends SIGTERM to this process as soon as the log says that the worker has started.
class stop_at_start : public spdlog::sinks::base_sink<std::mutex> {
  void sink_it_(const spdlog::details::log_msg& line) override {
    const std::string_view text(line.payload.data(), line.payload.size());
    if (text.find("worker started") != text.npos) std::raise(SIGTERM);
  }
  void flush_() override {}
};

TEST(worker_start, a_signal_right_after_the_line_that_says_so_ends_it_in_order) {
  jobs_database db;
  const auto serve_until_stopped = [&] {
    auto lines = std::make_shared<spdlog::logger>("test", std::make_shared<stop_at_start>());
    worker process(worker_thread::options_for(db),
                   std::make_shared<logger>(lines, log_level::info, "", log_format::text));
    process.add(test_kind(), run_test_job);
    process.run();
    std::_Exit(0);
  };
  EXPECT_EXIT(serve_until_stopped(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace rowrunner::testing
