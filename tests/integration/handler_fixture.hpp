#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "support/log_lines.hpp"
#include "support/worker_thread.hpp"

namespace rowrunner::testing {

/// Jobs of `test_jobs` that are run by a handler of the test.
class handler_fixture : public ::testing::Test {
 protected:
  using handler = std::function<boost::asio::awaitable<outcome>(job&)>;

  static kind_options concurrent(int jobs) {
    auto kind = test_kind();
    kind.max_concurrent = jobs;
    return kind;
  }

  /// A worker that stays until it is stopped. The kind and what the handler has captured must live
  /// longer.
  worker_thread start(const handler& run) { return serve(false, run, test_kind()); }
  /// Runs what is due, and gives what was done.
  worker_counts drain(const handler& run, const kind_options& kind = test_kind()) {
    return serve(true, run, kind).join();
  }

  std::string effects() {
    return db.value("SELECT string_agg(name, ' ' ORDER BY name) FROM effects");
  }
  std::string error() { return db.value("SELECT last_error FROM test_jobs"); }
  std::string attempts() { return db.value("SELECT sum(attempts) FROM test_jobs"); }

  jobs_database db;
  log_lines log;

 private:
  worker_thread serve(bool until_empty, const handler& run, const kind_options& kind) {
    auto options = worker_thread::options_for(db);
    options.drain = until_empty;
    return worker_thread(
        options, [&](worker& w) { w.add(kind, run); }, log.target());
  }
};

}  // namespace rowrunner::testing
