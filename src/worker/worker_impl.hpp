#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <memory>
#include <optional>
#include <rowrunner/worker.hpp>
#include <string>
#include <vector>

#include "common/log.hpp"
#include "common/pg/session.hpp"
#include "worker/blocking_pool.hpp"
#include "worker/changes.hpp"
#include "worker/claim.hpp"
#include "worker/execute.hpp"
#include "worker/finish.hpp"
#include "worker/handler_sessions.hpp"
#include "worker/job_writes.hpp"
#include "worker/lane.hpp"
#include "worker/lease_book.hpp"
#include "worker/lease_keeper.hpp"
#include "worker/loop.hpp"
#include "worker/upkeep.hpp"
#include "worker/watchdog.hpp"

namespace rowrunner {

/// Wires the parts. Members are destroyed in reverse, so each stands below what it uses.
class worker::impl {
 public:
  impl(worker_options options, std::shared_ptr<logger> log);

  void add(kind_options options, any_handler handler);
  void run();
  void stop();
  worker_counts counts() const;
  worker_measures measures() const;
  services& handler_services() { return services_; }

 private:
  /// The parts that exist while the worker runs.
  struct parts;

  boost::asio::awaitable<void> main();
  boost::asio::awaitable<void> start();
  boost::asio::awaitable<void> check_pooler();
  boost::asio::awaitable<void> check_schema();
  boost::asio::awaitable<void> open_lanes();
  boost::asio::awaitable<std::string> open_lane(lane& lane, const pg::result& kinds);
  boost::asio::awaitable<void> tidy_up();
  boost::asio::awaitable<void> shut_down();
  boost::asio::awaitable<void> deregister(std::chrono::steady_clock::time_point deadline);
  boost::asio::awaitable<void> stop_on_signal(std::unique_ptr<boost::asio::signal_set> signals);
  boost::asio::awaitable<void> stop_after(std::chrono::milliseconds time);
  boost::asio::awaitable<void> beat();
  boost::asio::awaitable<void> wait_until(std::function<bool()> done,
                                          std::chrono::steady_clock::time_point deadline);

  void build_parts();
  void spawn(boost::asio::awaitable<void> part);
  void request_stop(const char* why);
  /// What run() does when the engine itself has failed.
  void leave_in_order();
  pg::settings connection(const char* purpose) const;
  pg::settings handler_connection() const;
  pg::settings keeper_connection() const;

  /// Only `pooled` changes, at the start.
  worker_options options_;
  const std::shared_ptr<logger> log_;
  const std::shared_ptr<boost::asio::io_context> io_;
  const std::shared_ptr<handler_sessions> handlers_;
  services services_;
  lane_list lanes_;

  // Owned by the engine's thread.
  pg::session claims_;
  pg::session ends_;
  pg::session upkeep_;
  lease_book leases_;
  std::unique_ptr<parts> parts_;
  changes changed_;
  int stop_requests_ = 0;
  bool loop_ended_ = false;
  bool tidied_up_ = false;
  bool deregistered_ = false;
};

}  // namespace rowrunner
