#include "workloads/limits/slots.hpp"

#include <algorithm>
#include <cstddef>

namespace rowrunner::limits {
namespace {

/// The last slot comes a little before the end, so that a timer that is late does not lose it.
constexpr double used_part = 0.96;

}  // namespace

std::vector<int> fair_shares(int total, const std::vector<int>& wants, std::int64_t turn) {
  std::vector<int> given(wants.size(), 0);
  const auto size = wants.size();
  while (total > 0) {
    const auto hungry = static_cast<int>(
        std::count_if(wants.begin(), wants.end(),
                      [&, i = std::size_t{0}](int want) mutable { return given[i++] < want; }));
    if (hungry == 0) break;
    const int each = std::max(1, total / hungry);
    for (std::size_t n = 0; n < size && total > 0; ++n) {
      const auto i = (n + static_cast<std::size_t>(turn) % size) % size;
      const int more = std::min({each, wants[i] - given[i], total});
      if (more <= 0) continue;
      given[i] += more;
      total -= more;
    }
  }
  return given;
}

slots::slots(int count, int position, int replicas)
    : count_(count), shift_((position + 0.5) / std::max(1, replicas)) {}

instant slots::offset(int number) const {
  return seconds_from(used_part * (number + shift_) / std::max(1, count_));
}

int slots::due(instant since_start) const {
  if (since_start < instant{0}) return 0;
  const double passed = in_seconds(since_start) / used_part * count_ - shift_;
  if (passed < 0) return 0;
  return std::min(count_, static_cast<int>(passed + 1e-9) + 1);
}

}  // namespace rowrunner::limits
