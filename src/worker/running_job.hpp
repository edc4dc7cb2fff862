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

/// How far a job has come, as its handler said last.
struct progress_report {
  std::int64_t done = 0;
  std::int64_t total = 0;
  std::string message;
};

/// One claimed job, from the claim until its outcome is written.
struct running_job final : detail::job_backend, std::enable_shared_from_this<running_job> {
  // Constant after the claim.
  rowrunner::lane* lane = nullptr;
  /// A thread that was abandoned may read the job after its lane is gone.
  std::shared_ptr<const kind_options> options;
  job_writes* writes = nullptr;
  blocking_pool* pool = nullptr;
  std::string id;
  std::int64_t lease = 0;
  queue_position position;
  int attempts = 0;
  int max_attempts = 0;
  std::vector<std::optional<std::string>> columns;
  /// When it was due; nothing if its row does not say.
  std::optional<std::chrono::steady_clock::time_point> due;

  // Owned by the engine's thread.
  std::chrono::steady_clock::time_point started{};
  stop_reason stop = stop_reason::none;
  std::string stop_note;
  boost::asio::cancellation_signal signal;
  /// The time limit, and after a stop the patience with the handler.
  std::optional<boost::asio::steady_timer> timer;
  /// Its number among the running jobs of its lane.
  std::size_t slot = 0;
  /// It has its verdict, or was dropped; what its handler does after that is ignored.
  bool ended = false;
  /// A write under the lease was fenced: it is lost.
  bool lease_rejected = false;
  /// The work that runs for this job on the pool.
  std::set<std::uint64_t> pool_tasks;
  std::optional<std::unordered_map<std::string, nlohmann::json>> steps;
  /// The newest report, and whether the next write takes it.
  std::optional<progress_report> progress;
  bool report_waits = false;
  /// The database has refused a report: no other one is written.
  bool progress_refused = false;

  // Read from any thread.
  std::stop_source stopping;

  const std::string& job_id() const override { return id; }
  const std::string& job_kind() const override { return options->kind; }
  int charged_attempts() const override { return attempts; }
  int most_attempts() const override { return max_attempts; }
  const std::optional<std::string>* find_column(std::string_view name) const override;
  std::stop_token stop_token() const override { return stopping.get_token(); }
  std::chrono::system_clock::time_point now() const override {
    return std::chrono::system_clock::now();
  }
  boost::asio::awaitable<void> sleep(std::chrono::steady_clock::duration time) override;
  boost::asio::awaitable<std::optional<nlohmann::json>> stored_step(std::string name) override;
  boost::asio::awaitable<nlohmann::json> store_step(std::string name, step_result result) override;
  void report_progress(std::int64_t done, std::int64_t total, std::string message) override;
  boost::asio::awaitable<void> run_blocking(std::function<void(std::stop_token)> work) override;
  void await_from_thread(std::function<boost::asio::awaitable<void>()> work) override;
};

using job_ptr = std::shared_ptr<running_job>;

}  // namespace rowrunner
