#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <rowrunner/worker.hpp>
#include <string>
#include <thread>

#include "common/log.hpp"
#include "common/pg/connection.hpp"

namespace rowrunner {

/// When the loop of a worker last ran. It is written by the worker's thread and read by another.
class loop_pulse {
 public:
  using clock = std::chrono::steady_clock;

  static constexpr std::chrono::seconds patience{10};

  void beat(clock::time_point now) { last_ = now.time_since_epoch().count(); }
  /// Why the worker is not ready; nothing if it is.
  std::optional<std::string> problem(clock::time_point now) const;

 private:
  std::atomic<clock::rep> last_{0};
};

/// What a worker had done when its loop last ran, for another thread.
class measures_board {
 public:
  void put(worker_measures newest);
  worker_measures get() const;

 private:
  mutable std::mutex mutex_;
  worker_measures newest_;
};

/// Serves /livez, /readyz, /healthz and /metrics for a worker, in a thread of its own: it answers
/// also when a handler blocks the worker's.
class worker_health {
 public:
  /// Throws std::runtime_error if the port cannot be listened on.
  worker_health(int port, const pg::settings& database, std::shared_ptr<logger> log);
  ~worker_health();
  worker_health(const worker_health&) = delete;
  worker_health& operator=(const worker_health&) = delete;

  /// From now on the worker's loop says every second that it runs, and what it has done. To be
  /// called before it runs.
  void watch(const worker& of);

 private:
  struct parts;

  const std::shared_ptr<loop_pulse> pulse_;
  const std::shared_ptr<measures_board> board_;
  boost::asio::io_context io_;
  std::unique_ptr<parts> parts_;
  std::thread thread_;
};

}  // namespace rowrunner
