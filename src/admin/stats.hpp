#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admin/kinds.hpp"
#include "admin/transaction.hpp"
#include "common/schema/vacuum_blocker.hpp"

namespace rowrunner::admin {

/// What became of jobs in the last hour.
struct event_counts {
  std::int64_t claimed = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t retried = 0;
  std::int64_t rescued = 0;
  std::int64_t released = 0;
  std::int64_t refused = 0;
};

struct event_name {
  const char* name;
  std::int64_t event_counts::*count;
};

/// In the order of stats.sql.
inline constexpr std::array event_names{
    event_name{"claimed", &event_counts::claimed},
    event_name{"succeeded", &event_counts::succeeded},
    event_name{"failed", &event_counts::failed},
    event_name{"retried", &event_counts::retried},
    event_name{"rescued", &event_counts::rescued},
    event_name{"released", &event_counts::released},
    event_name{"refused", &event_counts::refused},
};

/// What one kind has to do and has done, as db/queries/admin/stats.sql counts it.
struct kind_stats {
  /// Where counting jobs that do not run stops: a greater number stands for more.
  static constexpr std::int64_t count_limit = 100'000;
  /// Up to so many queue entries are compared with their jobs.
  static constexpr std::int64_t check_limit = 10'000;
  static std::int64_t limited(std::int64_t count) { return std::min(count, count_limit); }

  std::string kind;
  bool paused = false;
  std::int64_t waiting = 0;
  /// There are more than check_limit queue entries, so they were counted and not compared with
  /// their jobs: entries of deleted jobs count until a claim or a sweep meets them.
  bool waiting_is_approximate = false;
  std::int64_t delayed = 0;
  /// They wait for others to end (rowrunner.run_after).
  std::int64_t held = 0;
  std::int64_t running = 0;
  std::int64_t failed = 0;
  worker_census workers;
  /// Why workers can claim nothing of the kind, as one of them reported it; empty if they can.
  std::string claims_fail_because;
  /// Queued jobs that claims pass over, as their rows cannot be written, and the newest error.
  std::int64_t unclaimable = 0;
  std::string unclaimable_because;
  std::optional<double> oldest_waiting_seconds;
  /// The session that locks the whole job table. Then `waiting` counts queue entries, and
  /// oldest_waiting_seconds is not known.
  std::optional<std::string> locked_by;
  event_counts last_hour;

  std::string_view state() const { return locked_by ? "locked" : kind_state(paused, workers); }
};

struct database_stats {
  std::vector<kind_stats> kinds;
  /// What blocks VACUUM, the oldest first.
  std::vector<vacuum_blocker> vacuum_blockers;
};

/// Of a kind whose table is locked, what is known without it. Throws error{table_locked} if a lock
/// is on a table of the engine.
asio::awaitable<database_stats> read_stats(pg::session& session);

}  // namespace rowrunner::admin
