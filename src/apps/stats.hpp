#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/schema/vacuum_blocker.hpp"

namespace rowrunner {

/// What one kind has to do and has done, as db/queries/admin/stats.sql counts it.
struct kind_stats {
  /// Where counting what waits, is delayed or has failed stops.
  static constexpr std::int64_t count_limit = 100'000;
  /// Up to so many queue entries are compared with their jobs.
  static constexpr std::int64_t check_limit = 10'000;
  static std::int64_t limited(std::int64_t count) { return std::min(count, count_limit); }
  static constexpr std::array counter_names{"claimed", "succeeded", "failed", "retried",
                                            "rescued", "released",  "refused"};

  std::string kind;
  bool paused = false;
  std::int64_t waiting = 0;
  /// There are more than check_limit queue entries, so they were counted and not compared with
  /// their jobs: entries of deleted jobs count until a claim or a sweep meets them.
  bool waiting_is_approximate = false;
  std::int64_t delayed = 0;
  std::int64_t running = 0;
  std::int64_t failures = 0;
  std::int64_t workers = 0;
  std::optional<double> oldest_seconds;
  /// In the last hour, in the order of counter_names.
  std::vector<std::int64_t> counters;
};

/// All of it as metrics for Prometheus. Who holds an old snapshot is named once it is longer than
/// `alarm`.
std::string stats_metrics(const std::vector<kind_stats>& kinds,
                          const std::vector<vacuum_blocker>& holders,
                          std::chrono::milliseconds alarm);

}  // namespace rowrunner
