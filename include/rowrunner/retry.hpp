#pragma once

#include <chrono>

namespace rowrunner {

/// When a failed job runs again. The number of attempts is the job's own (max_attempts).
struct retry_policy {
  /// The wait after the first failure; it doubles with each further one, up to `cap`.
  std::chrono::milliseconds first{1000};
  std::chrono::milliseconds cap{std::chrono::minutes{5}};
  /// The share of each wait that is drawn at random, so that jobs which failed together do not
  /// come back together.
  double jitter = 0.25;

  /// Again without waiting, at the front of the queue.
  static retry_policy at_once() {
    return {std::chrono::milliseconds{0}, std::chrono::milliseconds{0}, 0};
  }

  /// The wait after the given number of failures (1 for the first); `random` is in [0, 1).
  std::chrono::milliseconds delay(int failures, double random) const;
};

}  // namespace rowrunner
