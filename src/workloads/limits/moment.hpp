#pragma once

#include <chrono>
#include <cstdint>

namespace rowrunner::limits {

/// A time of the database's clock, since 1970: what all replicas agree on.
using instant = std::chrono::microseconds;
/// A second of that clock: what a plan is for.
using epoch = std::int64_t;

constexpr epoch epoch_of(instant at) {
  return std::chrono::floor<std::chrono::seconds>(at).count();
}
constexpr instant start_of(epoch at) { return std::chrono::seconds(at); }
constexpr instant seconds_from(double seconds) {
  return instant(static_cast<std::int64_t>(seconds * 1e6));
}
constexpr double in_seconds(instant length) { return static_cast<double>(length.count()) / 1e6; }

}  // namespace rowrunner::limits
