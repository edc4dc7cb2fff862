#include "workloads/limits/headers.hpp"

#include <algorithm>

namespace rowrunner::limits {

namespace {

double lesser(double a, double b) {
  if (a == 0 || b == 0) return std::max(a, b);
  return std::min(a, b);
}

}  // namespace

void header_sums::add(std::int64_t limit, std::int64_t remaining,
                      std::chrono::milliseconds until_reset) {
  const auto was_used = static_cast<double>(limit - remaining);
  const double seconds = std::chrono::duration<double>(until_reset).count();
  if (limit <= 0 || remaining < 0 || was_used <= 0 || seconds <= 0) return;
  ++answers;
  used += was_used;
  left += static_cast<double>(remaining);
  reset += seconds;
  used_reset += was_used * seconds;
  slowest = lesser(slowest, was_used / seconds);
  const bool whole = until_reset.count() % 1'000 == 0;
  exact += whole ? 0 : 1;
  // The time may have been rounded down.
  proven = std::max(proven, std::max(1.0, was_used - 1) / (seconds + (whole ? 1 : 0.001)));
}

void header_sums::add(const header_sums& other) {
  answers += other.answers;
  used += other.used;
  left += other.left;
  reset += other.reset;
  used_reset += other.used_reset;
  slowest = lesser(slowest, other.slowest);
  proven = std::max(proven, other.proven);
  exact += other.exact;
}

/// In a bucket the time until it is full grows with what was used; in a window it shrinks while
/// more and more is used. So the sign of their covariance tells which one it is.
std::optional<limit_estimate> estimate(const header_sums& seen) {
  if (seen.answers == 0 || seen.reset <= 0) return std::nullopt;
  const double n = seen.answers;
  const double covariance = seen.used_reset / n - seen.used / n * seen.reset / n;
  limit_estimate found;
  found.window = covariance < -1e-4 * seen.used_reset / n;
  found.level = seen.left / std::max(1.0, seen.left + seen.used);
  found.rate = found.window ? seen.left / seen.reset : seen.slowest;
  found.at_least = std::min(found.rate, seen.proven);
  // Short times that were rounded to whole seconds tell nothing.
  if (!found.window && seen.exact == 0 && seen.reset / n < 10) return std::nullopt;
  return found;
}

}  // namespace rowrunner::limits
