#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/log.hpp"
#include "common/pg/session.hpp"
#include "worker/lane.hpp"
#include "worker/vacuum_watch.hpp"

namespace rowrunner {

/// What can wait: counters, the sign of life, retention, the watch over old snapshots.
class upkeep {
 public:
  upkeep(boost::asio::io_context& io, pg::session& session,
         std::vector<std::unique_ptr<lane>>& lanes, logger& log, std::string worker_name,
         std::chrono::milliseconds horizon_alarm);

  /// Registers the worker; throws pg::error.
  boost::asio::awaitable<void> begin();
  /// Runs until it is cancelled.
  boost::asio::awaitable<void> run();
  /// For a worker that ends before a round is due: all that retention deletes, and a part of the
  /// sweep. It takes at most ten seconds, and ends when `stop` says so. Never throws pg::error.
  boost::asio::awaitable<void> pass(std::function<bool()> stop);
  /// Saves the last counters and takes the worker off the list.
  boost::asio::awaitable<void> end();

 private:
  enum class stretch { mostly_old, mostly_young, last };

  boost::asio::awaitable<void> save_counters();
  boost::asio::awaitable<void> retire_old_jobs(lane& lane);
  boost::asio::awaitable<void> sweep();
  boost::asio::awaitable<stretch> retire_stretch(lane& lane, std::string& cursor);

  boost::asio::io_context& io_;
  pg::session& session_;
  std::vector<std::unique_ptr<lane>>& lanes_;
  logger& log_;
  std::string worker_name_;
  vacuum_watch vacuum_;
  /// Where the next sweep goes on.
  std::string sweep_page_ = "0";
  pg::call seen() const;
  pg::statement worker_seen_, worker_gone_, count_, sweep_, write_settings_;
};

}  // namespace rowrunner
