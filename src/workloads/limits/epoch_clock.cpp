#include "workloads/limits/epoch_clock.hpp"

#include <algorithm>

namespace rowrunner::limits {

void epoch_clock::learn(instant asked, instant answered, instant database) {
  const sample now{database - (asked + answered) / 2, (answered - asked + instant(1)) / 2};
  // Two samples that cannot both be right: the database's clock was set, or another one answers.
  constexpr instant drift{5'000};
  if (filled_ > 0 &&
      std::chrono::abs(now.offset - best().offset) > now.error + best().error + drift) {
    filled_ = next_ = 0;
  }
  samples_[next_] = now;
  next_ = (next_ + 1) % samples_.size();
  filled_ = std::min(filled_ + 1, samples_.size());
  const auto quickest =
      std::min_element(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(filled_),
                       [](const sample& a, const sample& b) { return a.error < b.error; });
  best_ = static_cast<std::size_t>(quickest - samples_.begin());
}

}  // namespace rowrunner::limits
