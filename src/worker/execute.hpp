#pragma once

#include <boost/asio/io_context.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <rowrunner/outcome.hpp>
#include <string>

#include "worker/blocking_pool.hpp"
#include "worker/running_job.hpp"

namespace rowrunner {

/// What is to be written about a job. `snoozed{0}` gives it back to the front of the line.
struct verdict {
  job_ptr job;
  outcome result;
  /// Nothing is to be written: the lease is lost.
  bool dropped = false;
  /// How often the database refused it as it is.
  int tries = 0;
};

/// What a job that was told to stop ends as. `returned` is what the handler still gave, if it ended
/// by itself: work that is done counts, whatever was asked.
verdict verdict_of(job_ptr job, std::optional<outcome> returned, std::string error);

/// Runs handlers: the life of a job between its claim and its verdict.
class executor {
 public:
  using settled_callback = std::function<void(verdict)>;
  /// A handler that was told to stop and has not ended after this is given up.
  static constexpr std::chrono::milliseconds patience{1000};

  executor(std::shared_ptr<boost::asio::io_context> io, blocking_pool& pool,
           settled_callback settled)
      : io_(std::move(io)), pool_(pool), settled_(std::move(settled)) {}

  /// Starts the job's handler. The verdict comes by the callback, exactly once.
  void start(const job_ptr& job);

  /// Tells the job to stop: its coroutine is cancelled, its stop token set. Only the first reason
  /// counts, except that a lost lease always does.
  void stop(const job_ptr& job, stop_reason reason, std::string note);

 private:
  void start_coroutine(const job_ptr& job);
  void start_blocking(const job_ptr& job);
  void watch_time(const job_ptr& job);
  void give_up_later(const job_ptr& job);
  void settle(const job_ptr& job, std::optional<outcome> returned, std::string error);

  std::shared_ptr<boost::asio::io_context> io_;
  blocking_pool& pool_;
  settled_callback settled_;
};

}  // namespace rowrunner
