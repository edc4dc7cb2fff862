#pragma once

#include <functional>
#include <future>
#include <rowrunner/worker.hpp>
#include <thread>

#include "common/log.hpp"
#include "support/jobs_database.hpp"
#include "support/pooler.hpp"
#include "support/test_handler.hpp"

namespace rowrunner::testing {

/// A worker in this process, on a thread of its own, stopped at the end of its life.
class worker_thread {
 public:
  using set_up = std::function<void(worker&)>;

  static worker_options options_for(const test_database& db) {
    worker_options options;
    const auto place = endpoint_for_workers(db.url());
    options.database_url = place.url;
    options.pooled = place.pooled;
    return options;
  }

  worker_thread(worker_options options, const set_up& add_kinds,
                std::shared_ptr<logger> log = std::make_shared<logger>(log_level::off))
      : worker_(std::move(options), std::move(log)) {
    add_kinds(worker_);
    ended_ = std::async(std::launch::async, [this] { worker_.run(); });
  }
  explicit worker_thread(const test_database& db, kind_options kind = test_kind())
      : worker_thread(options_for(db), [&](worker& w) { w.add(kind, run_test_job); }) {}
  ~worker_thread() {
    if (ended_.valid()) stop();
  }

  void request_stop() { worker_.stop(); }
  /// Stops it, and gives what it has done; rethrows what ended it.
  worker_counts stop() {
    worker_.stop();
    return join();
  }
  worker_counts join() {
    ended_.get();
    return worker_.counts();
  }

 private:
  worker worker_;
  std::future<void> ended_;
};

}  // namespace rowrunner::testing
