#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace rowrunner {

/// When to try again what failed, or brought nothing although there was something: after a tenth of
/// a second, then after twice as long each time. Each lane has one for each thing that it asks of
/// the database, so that a problem with one does not delay the others.
class lane_backoff {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds shortest{100};
  /// After so many failures in a row a drain no longer waits for it.
  static constexpr int repeated_failures = 3;

  explicit lane_backoff(clock::duration longest) : longest_(longest) {}

  bool due(clock::time_point now) const { return now >= until_; }
  clock::time_point until() const { return until_; }
  bool failed_repeatedly() const { return failures_ >= repeated_failures; }
  /// Why the last try failed; empty if it did not, or brought nothing for no reason that is known.
  const std::string& reason() const { return reason_; }

  /// The pause is at least that long.
  void failed(clock::time_point now, std::string reason = {}, clock::duration at_least = {}) {
    pause_ = failures_ == 0 ? clock::duration{shortest} : pause_ * 2;
    pause_ = std::min(pause_, longest_);
    ++failures_;
    until_ = now + std::max(pause_, at_least);
    reason_ = std::move(reason);
  }
  void reset() {
    failures_ = 0;
    until_ = {};
    reason_.clear();
  }

 private:
  clock::duration longest_;
  clock::duration pause_{};
  clock::time_point until_{};
  int failures_ = 0;
  std::string reason_;
};

}  // namespace rowrunner
