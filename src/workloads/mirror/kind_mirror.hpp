#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/log.hpp"
#include "workloads/mirror/redis_connection.hpp"
#include "workloads/mirror/status_source.hpp"
#include "workloads/projection.hpp"

namespace rowrunner::mirror {

/// What one process remembers of one kind, and how it brings Redis up to date. All of it throws
/// redis_unavailable and pg::error; nothing is forgotten in the database before Redis has it.
class kind_mirror {
 public:
  kind_mirror(status_source& source, const logger& log, std::vector<status_projection> forms);

  /// Everything that has changed since the last time, within bounds: a long sweep goes on with the
  /// next call.
  asio::awaitable<void> catch_up(const mirrored_kind& kind, redis_connection& redis);

  /// True until the last catch_up has done all that there was.
  bool has_more() const noexcept { return has_more_; }

  /// Another process has done the work since.
  void forget() { progress_.clear(); }

 private:
  using ids = std::vector<std::string>;

  asio::awaitable<void> send_changes(const mirrored_kind& kind, redis_connection& redis);
  asio::awaitable<void> send_progress(const mirrored_kind& kind, redis_connection& redis);
  asio::awaitable<void> sweep(const mirrored_kind& kind, redis_connection& redis);
  asio::awaitable<void> send(const mirrored_kind& kind, const ids& wanted,
                             const std::vector<noted_change>& notes, redis_connection& redis);
  void add_commands(const seen_states& seen, const std::vector<noted_change>& notes,
                    std::vector<redis_command>& commands) const;
  void add_status(const status_projection& form, const api::job_state& state, const version& at,
                  std::vector<redis_command>& commands) const;
  void write(const std::vector<redis_command>& commands, redis_connection& redis) const;

  status_source& source_;
  const logger& log_;
  const std::vector<status_projection> forms_;
  /// When running jobs had last reported what Redis has.
  std::map<std::string, std::string> progress_;
  /// Names this process's sweep in Redis.
  const std::string sweep_name_;
  std::string sweep_at_;
  bool has_more_ = false;
};

}  // namespace rowrunner::mirror
