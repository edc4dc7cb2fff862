#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/log.hpp"
#include "common/pg/session.hpp"
#include "worker/lane.hpp"
#include "worker/vacuum_watch.hpp"

namespace rowrunner {

/// What can wait: counters, the report that the worker is alive, retention, old snapshots.
class upkeep {
 public:
  upkeep(boost::asio::io_context& io, pg::session& session, const lane_list& lanes, logger& log,
         std::string worker_name, std::chrono::milliseconds vacuum_blocker_alarm);

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
  /// Where the walk of retention through the jobs of a kind is, and its trouble.
  struct walk {
    std::string behind_id = "00000000-0000-0000-0000-000000000000";
    lane_backoff tries{std::chrono::minutes{5}};
  };
  enum class stretch { mostly_old, mostly_young, last };

  std::string problems() const;
  boost::asio::awaitable<void> report();
  boost::asio::awaitable<void> save_counters();
  boost::asio::awaitable<void> retire_old_jobs(lane& lane);
  boost::asio::awaitable<void> sweep();
  boost::asio::awaitable<stretch> retire_stretch(const lane& lane, std::string& cursor);

  boost::asio::io_context& io_;
  pg::session& session_;
  const lane_list& lanes_;
  logger& log_;
  std::string worker_name_;
  vacuum_watch vacuum_;
  std::map<const lane*, walk> walks_;
  /// Where the next sweep goes on.
  std::string sweep_page_ = "0";
  /// The problems of the last report.
  std::string reported_;
  pg::statement worker_seen_, worker_gone_, count_, sweep_, write_settings_;
};

}  // namespace rowrunner
