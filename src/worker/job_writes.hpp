#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <rowrunner/job.hpp>

#include "common/pg/session.hpp"
#include "worker/running_job.hpp"

namespace rowrunner {

/// What a handler writes while its job runs: steps and progress, each under the job's lease.
class job_writes {
 public:
  /// `lost` is told of a job whose write was refused.
  job_writes(std::shared_ptr<boost::asio::io_context> io, pg::session& session,
             std::function<void(const job_ptr&)> lost);

  /// The stored result of a step, if it is done.
  boost::asio::awaitable<std::optional<nlohmann::json>> stored_step(job_ptr job, std::string name);
  /// Throws job_stopped if the job no longer belongs to this worker.
  boost::asio::awaitable<void> store_step(job_ptr job, std::string name, nlohmann::json result);
  boost::asio::awaitable<void> progress(job_ptr job, std::int64_t done, std::int64_t total,
                                        std::string message);

  const std::shared_ptr<boost::asio::io_context>& io() { return io_; }

 private:
  boost::asio::awaitable<pg::result> run(job_ptr job, pg::call call);
  boost::asio::awaitable<void> write(job_ptr job, pg::call call, const char* what);

  std::shared_ptr<boost::asio::io_context> io_;
  pg::session& session_;
  std::function<void(const job_ptr&)> lost_;
  pg::statement steps_of_;
  pg::statement settings_;
};

}  // namespace rowrunner
