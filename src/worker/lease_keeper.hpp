#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "common/log.hpp"
#include "common/pg/session.hpp"
#include "worker/execute.hpp"
#include "worker/lane.hpp"
#include "worker/lease_book.hpp"

namespace rowrunner {

/// Keeps the leases of this worker alive with one statement for those of all kinds, on a connection
/// of its own, and tells running jobs what it learns from the database: that they were cancelled,
/// or that their leases are lost. A worker that cannot reach the database stops its handlers before
/// its leases run out.
class lease_keeper {
 public:
  lease_keeper(boost::asio::io_context& io, pg::session& session, lease_book& leases,
               executor& execute, logger& log, std::string worker_name, const lane_list& lanes);

  /// Both run until they are cancelled.
  boost::asio::awaitable<void> keep();
  boost::asio::awaitable<void> guard_deadlines();

 private:
  /// Asks for cancellations, and sends a heartbeat if one is due. A database that does not answer
  /// is logged.
  boost::asio::awaitable<void> beat();
  boost::asio::awaitable<void> tick();
  pg::call extension(const pg::statement& statement, const std::vector<std::int64_t>& leases) const;
  void lose(const std::vector<std::int64_t>& leases, const char* why);
  void pass_on_cancellations(const pg::result& requests);

  boost::asio::io_context& io_;
  pg::session& session_;
  lease_book& leases_;
  executor& execute_;
  logger& log_;
  std::string worker_name_;
  const lane_list& lanes_;
  const std::chrono::milliseconds shortest_;
  pg::statement heartbeat_;
  pg::statement heartbeat_at_end_;
  pg::statement cancel_requests_;
};

}  // namespace rowrunner
