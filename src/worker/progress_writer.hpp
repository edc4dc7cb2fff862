#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <vector>

#include "common/event.hpp"
#include "common/log.hpp"
#include "common/pg/session.hpp"
#include "worker/running_job.hpp"

namespace rowrunner {

/// Writes how far jobs have come: of each job the newest report, at most four times a second, one
/// statement a kind; if more than 250 jobs report, that of each about once a second, as a large
/// write would slow ends down. Reports never wait for it, and ends neither: the newest report is
/// kept, and the end of the job writes it in its own transaction. A job whose report the database
/// refuses goes on without progress.
class progress_writer {
 public:
  /// `lost` is told of a job whose report came under a lost lease.
  progress_writer(boost::asio::io_context& io, pg::session& session, logger& log,
                  std::function<void(const job_ptr&)> lost);

  void report(const job_ptr& job, progress_report report);

 private:
  boost::asio::awaitable<void> run();
  std::vector<job_ptr> take_turn();
  boost::asio::awaitable<void> write(lane& of, std::vector<job_ptr> jobs);
  boost::asio::awaitable<void> write_halves(lane& of, std::vector<job_ptr> jobs);
  void read_answer(const std::vector<job_ptr>& jobs, const pg::result& answer);
  void write_later(const job_ptr& job);

  boost::asio::io_context& io_;
  pg::session& session_;
  logger& log_;
  std::function<void(const job_ptr&)> lost_;
  std::vector<job_ptr> waiting_;
  event arrived_;
  bool started_ = false;
  pg::statement settings_;
};

/// The call that writes the newest report of each job, for `progress` and `progress_at_end`. The
/// jobs are of one lane, have a report, and are in the order of their ids.
pg::call progress_call(const pg::statement& statement, const lane& of,
                       const std::vector<const running_job*>& jobs);

/// The database refuses the job's progress: it is logged once, and no more of it is written.
void drop_progress(running_job& job, logger& log, const std::string& reason);

}  // namespace rowrunner
