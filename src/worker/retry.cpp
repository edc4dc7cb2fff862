#include <algorithm>
#include <cmath>
#include <rowrunner/retry.hpp>

namespace rowrunner {

std::chrono::milliseconds retry_policy::delay(int failures, double random) const {
  // The exponent is bounded, so that no number of failures can overflow.
  const double doubled =
      std::ldexp(static_cast<double>(first.count()), std::clamp(failures - 1, 0, 40));
  const double wait = std::min(doubled, static_cast<double>(cap.count()));
  return std::chrono::milliseconds{static_cast<std::int64_t>(wait * (1 - jitter * random))};
}

}  // namespace rowrunner
