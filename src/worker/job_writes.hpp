#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <rowrunner/job.hpp>

#include "common/pg/session.hpp"
#include "worker/progress_writer.hpp"
#include "worker/running_job.hpp"
#include "worker/step_writer.hpp"

namespace rowrunner {

/// What a handler reads and writes while its job runs: steps and progress, each under the job's
/// lease.
class job_writes {
 public:
  /// Steps go through `steps`, progress through `reports`. `lost` is told of a job whose write was
  /// fenced: its lease is lost.
  job_writes(std::shared_ptr<boost::asio::io_context> io, pg::session& steps, pg::session& reports,
             logger& log, std::function<void(const job_ptr&)> lost);

  /// The stored result of a step, if it is done.
  boost::asio::awaitable<std::optional<nlohmann::json>> stored_step(job_ptr job, std::string name);
  /// Gives the stored result. Throws job_stopped if the job no longer belongs to this worker, and
  /// std::runtime_error if the database refuses the step or its effects.
  boost::asio::awaitable<nlohmann::json> store_step(job_ptr job, std::string name,
                                                    step_result given);
  /// Returns at once.
  void report(const job_ptr& job, progress_report report) {
    progress_.report(job, std::move(report));
  }

  const std::shared_ptr<boost::asio::io_context>& io() { return io_; }

 private:
  boost::asio::awaitable<pg::result> run(job_ptr job, pg::call call);
  boost::asio::awaitable<void> wait_until_answered(step_ptr step);

  std::shared_ptr<boost::asio::io_context> io_;
  pg::session& session_;
  std::function<void(const job_ptr&)> lost_;
  step_writer steps_;
  progress_writer progress_;
  pg::statement steps_of_;
  pg::statement settings_;
};

}  // namespace rowrunner
