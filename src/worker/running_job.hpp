#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <rowrunner/worker.hpp>
#include <set>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "worker/queue_cursor.hpp"

namespace rowrunner {

struct lane;
class job_writes;
class blocking_pool;

/// Why a job was told to stop before it was done.
enum class stop_reason { none, cancelled, timed_out, lease_lost, shutdown };

/// One claimed job, from the claim until its outcome is written.
struct running_job {
  // Constant after the claim.
  rowrunner::lane* lane = nullptr;
  /// A thread that was given up may read the job after its lane is gone.
  std::shared_ptr<const kind_options> options;
  job_writes* writes = nullptr;
  blocking_pool* pool = nullptr;
  std::string id;
  std::int64_t lease = 0;
  queue_position position;
  int attempts = 0;
  int max_attempts = 0;
  std::vector<std::optional<std::string>> columns;

  // Owned by the engine's thread.
  std::chrono::steady_clock::time_point started{};
  stop_reason stop = stop_reason::none;
  std::string stop_note;
  boost::asio::cancellation_signal signal;
  /// The time limit, and after a stop the patience with the handler.
  std::optional<boost::asio::steady_timer> timer;
  /// Its number among the running jobs of its lane.
  std::size_t slot = 0;
  bool settled = false;
  /// The database refused a write under the lease: it is lost.
  bool lease_rejected = false;
  /// The work that runs for this job on the pool.
  std::set<std::uint64_t> pool_tasks;
  std::optional<std::unordered_map<std::string, nlohmann::json>> steps;

  // Read from any thread.
  std::stop_source stopping;
};

using job_ptr = std::shared_ptr<running_job>;

}  // namespace rowrunner
