#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "common/log.hpp"
#include "common/pg/session.hpp"
#include "worker/lane.hpp"
#include "worker/lease_book.hpp"

namespace rowrunner {

/// Keeps the leases of this worker alive with one statement for all of them, on a connection of its
/// own, and brings what the database has to tell running jobs: that they were cancelled, or that
/// their leases are lost. A worker that cannot reach the database stops its handlers before
/// its leases run out.
class lease_keeper {
 public:
  using stop_callback = std::function<void(const job_ptr&, stop_reason, std::string)>;

  lease_keeper(boost::asio::io_context& io, pg::session& session, lease_book& leases,
               std::vector<std::unique_ptr<lane>>& lanes, logger& log, std::string worker_name,
               std::chrono::milliseconds lease, stop_callback stop);

  /// Both run until they are cancelled.
  boost::asio::awaitable<void> keep();
  boost::asio::awaitable<void> guard_deadlines();

 private:
  /// Asks for cancellations, and sends a heartbeat if one is due. A database that does not answer
  /// is logged.
  boost::asio::awaitable<void> beat();
  boost::asio::awaitable<void> tick();
  void stop_all_under(const std::vector<std::int64_t>& leases, const char* why);
  void pass_on_cancellations(const pg::result& requests);

  boost::asio::io_context& io_;
  pg::session& session_;
  lease_book& leases_;
  std::vector<std::unique_ptr<lane>>& lanes_;
  logger& log_;
  std::string worker_name_;
  std::chrono::milliseconds lease_;
  stop_callback stop_;
  pg::statement heartbeat_;
  pg::statement heartbeat_at_end_;
  pg::statement cancel_requests_;
};

}  // namespace rowrunner
