#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace rowrunner::limits {

/// Sums over answers that told limit, remaining and reset.
struct header_sums {
  int answers = 0;
  /// Limit minus remaining.
  double used = 0;
  double left = 0;
  double reset = 0;
  /// Of the product of used and reset.
  double used_reset = 0;
  /// The least used / reset of an answer. What remains is told in whole calls, rounded down, so
  /// that each answer tells a rate that is too high, by up to a call; the least is the best.
  double slowest = 0;
  /// The most that an answer proves: the caller's own call was used in full, and of the others all
  /// but a part of one.
  double proven = 0;
  /// Answers whose reset was not in whole seconds.
  int exact = 0;

  void add(std::int64_t limit, std::int64_t remaining, std::chrono::milliseconds until_reset);
  void add(const header_sums& other);
};

struct limit_estimate {
  /// What the service takes a second at most, and at least.
  double rate = 0;
  double at_least = 0;
  /// How much of the limit is left, 0 to 1.
  double level = 0;
  /// It counts in fixed windows; otherwise what was used comes back bit by bit.
  bool window = false;
};

/// Nothing if the answers do not tell.
std::optional<limit_estimate> estimate(const header_sums& seen);

}  // namespace rowrunner::limits
