#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

namespace rowrunner::mirror {

/// What follows from failures to reach something: how long to wait, and what is worth a line of the
/// log. The same trouble is told once, and its end once.
class outage {
 public:
  static constexpr std::chrono::milliseconds first_wait{500};
  static constexpr std::chrono::milliseconds longest_wait{10'000};

  /// True if it should be told: it is new, or it has another reason.
  bool failed(const std::string& reason) {
    wait_ = wait_ ? std::min(*wait_ * 2, longest_wait) : first_wait;
    const bool tell = reason != reason_;
    reason_ = reason;
    return tell;
  }

  /// True if it should be told: there was trouble before.
  bool worked() {
    const bool tell = wait_.has_value();
    wait_.reset();
    reason_.clear();
    return tell;
  }

  /// Until the next try; nothing if all is well.
  std::optional<std::chrono::milliseconds> wait() const { return wait_; }

 private:
  std::optional<std::chrono::milliseconds> wait_;
  std::string reason_;
};

}  // namespace rowrunner::mirror
